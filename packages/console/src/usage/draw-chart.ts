// Draws stacked bars with uPlot, in a canvas.
import uPlot from 'uplot'
import { colourAt, resolveColour } from './chart-colours.ts'
import { type Column, stack } from './usage-series.ts'

export interface ChartData {
  readonly labels: readonly string[]
  readonly columns: readonly Column[]
}

interface DrawOptions extends ChartData {
  readonly place: HTMLElement
  /** The index of the period under the pointer. */
  readonly onHover: (index: number | undefined) => void
}

export const chartHeight = 240
const compact = new Intl.NumberFormat('en', { notation: 'compact' })
const font = '12px system-ui, sans-serif'

export const drawChart = ({ place, labels, columns, onHover }: DrawOptions): uPlot => {
  const colour = (name: string) => resolveColour(place, name)
  const axis = { stroke: colour('var(--color-muted)'), font, ticks: { show: false } }
  const grid = { stroke: colour('var(--color-line)'), width: 1 }
  const bars = uPlot.paths.bars?.({ size: [0.72, 44] })
  // The highest bar comes first: the shorter ones are drawn over it.
  const series = columns
    .map((_, index) => ({
      fill: colour(colourAt(index)),
      stroke: 'transparent',
      width: 0,
      ...(bars && { paths: bars }),
    }))
    .reverse()
  const options: uPlot.Options = {
    width: place.clientWidth,
    height: chartHeight,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: [-0.6, labels.length - 0.4] },
      y: { range: (_, __, highest) => [0, Math.max(1, (highest ?? 0) * 1.08)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 30,
        incrs: [1, 2, 3, 5, 6, 7, 12],
        space: 64,
        values: (_, at) => at.map(nameAt(labels)),
      },
      { ...axis, grid, size: 56, incrs: countIncrements, values: (_, at) => at.map((value) => compact.format(value)) },
    ],
    series: [{}, ...series],
    padding: [12, 8, 0, 0],
    hooks: { setCursor: [({ cursor }) => onHover(cursor.idx ?? undefined)] },
  }
  const heights = stack(columns).map((quantities) => [...quantities])
  return new uPlot(options, [labels.map((_, index) => index), ...heights.reverse()], place)
}

const nameAt = (labels: readonly string[]) => (index: number) => labels[index] ?? ''

/** Whole numbers: half a run does not exist. */
const countIncrements = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat()
