// The chart. Screen readers get the table below it, which has the same figures.
import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef, useState } from 'react'
import { readableNumber } from '../parts/values/readable.ts'
import { colourAt, onThemeChange } from './chart-colours.ts'
import { type ChartData, chartHeight, drawChart } from './draw-chart.ts'
import type { Column } from './usage-series.ts'

interface UsageChartProps extends ChartData {
  /** What is shown, for screen readers: `Tokens per day`. */
  readonly title: string
}

/** Draws again when the data or the theme changes; a new width only resizes. */
const useChart = ({ labels, columns }: ChartData, onHover: (index: number | undefined) => void) => {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (!element) return
    let chart = drawChart({ place: element, labels, columns, onHover })
    const resize = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: chartHeight }))
    resize.observe(element)
    const stopListening = onThemeChange(() => {
      chart.destroy()
      chart = drawChart({ place: element, labels, columns, onHover })
    })
    return () => {
      stopListening()
      resize.disconnect()
      chart.destroy()
    }
  }, [labels, columns, onHover])
  return place
}

export function UsageChart({ title, labels, columns }: UsageChartProps) {
  const [hovered, setHovered] = useState<number>()
  const place = useChart({ labels, columns }, setHovered)
  return (
    <figure className="min-w-0 rounded-lg border border-line bg-surface px-3 pt-3 pb-2">
      <figcaption className="flex flex-wrap items-baseline justify-between gap-x-4 px-1 text-sm">
        <span className="font-semibold">{title}</span>
        <span className="text-muted tabular-nums">{hovered === undefined ? 'UTC' : `${labels[hovered]} UTC`}</span>
      </figcaption>
      <div
        ref={place}
        role="img"
        aria-label={`${title}. The table has the figures.`}
        className="h-60 overflow-hidden"
      />
      <Legend columns={columns} hovered={hovered} />
    </figure>
  )
}

/** The quantities under the pointer, or the totals. */
function Legend({ columns, hovered }: { readonly columns: readonly Column[]; readonly hovered: number | undefined }) {
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-1 px-1 py-2 text-sm">
      {columns.map(({ name, quantities, total }, index) => (
        <li key={name} className="flex min-w-0 items-center gap-2">
          <span className="size-2.5 shrink-0 rounded-sm" style={{ background: colourAt(index) }} />
          <span className="min-w-0 wrap-anywhere">{name}</span>
          <span className="text-muted tabular-nums">
            {readableNumber(hovered === undefined ? total : (quantities[hovered] ?? 0))}
          </span>
        </li>
      ))}
    </ul>
  )
}
