// One figure over the last day, as bars. Screen readers get the latest and the highest value, and a table on request.
import { utcText } from '../parts/values/instant.tsx'
import type { HistoryPoint } from './history-point.ts'

interface HistoryChartProps {
  readonly name: string
  readonly points: readonly HistoryPoint[]
  readonly of: (point: HistoryPoint) => number | null
  readonly format: (value: number) => string
  readonly tone?: 'bad'
}

const daySeconds = 86_400
const width = 288
const height = 48

export function HistoryChart({ name, points, of, format, tone }: HistoryChartProps) {
  const known = points.flatMap((point) => {
    const value = of(point)
    return value === null ? [] : [{ at: point.at, value }]
  })
  const highest = Math.max(0, ...known.map(({ value }) => value))
  const latest = known.at(-1)
  return (
    <figure className="flex flex-col gap-1">
      <figcaption className="text-sm">{name}</figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        className={`h-12 w-full border-b border-line ${tone === 'bad' ? 'fill-bad' : 'fill-accent'}`}
      >
        <path d={barsOf(known, highest)} />
      </svg>
      <p className="text-sm text-muted tabular-nums">
        {latest === undefined ? 'not known' : `now ${format(latest.value)}, highest ${format(highest)}`}
      </p>
      <details className="text-sm">
        <summary className="w-fit text-accent">
          Values<span className="sr-only">: {name}</span>
        </summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long list must be scrollable by keyboard. */}
        <ol tabIndex={0} aria-label={`Values: ${name}`} className="max-h-40 overflow-y-auto tabular-nums">
          {known.toReversed().map(({ at, value }) => (
            <li key={at}>
              {utcText(at).slice(0, 16)} UTC: {format(value)}
            </li>
          ))}
        </ol>
      </details>
    </figure>
  )
}

interface Value {
  readonly at: string
  readonly value: number
}

/** A bar for each point, at its time: a gap is a time in which nothing was measured. */
const barsOf = (values: readonly Value[], highest: number): string => {
  if (highest === 0) return ''
  const end = Date.parse(values.at(-1)?.at ?? '')
  return values
    .map(({ at, value }) => {
      const x = width - 2 - ((end - Date.parse(at)) / 1_000 / daySeconds) * (width - 2)
      const tall = (value / highest) * (height - 2)
      return `M${x.toFixed(1)} ${height}v${(-tall).toFixed(1)}h1.6v${tall.toFixed(1)}z`
    })
    .join('')
}
