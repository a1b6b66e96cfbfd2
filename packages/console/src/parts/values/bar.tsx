// A value against its limit, as a bar with its numbers.
import { useId } from 'react'

interface BarProps {
  readonly label: string
  readonly value: number
  readonly limit: number
  readonly format: (value: number) => string
}

const toneOf = (share: number) => (share >= 1 ? 'bg-bad' : share >= 0.8 ? 'bg-warn' : 'bg-accent')

export function Bar({ label, value, limit, format }: BarProps) {
  const id = useId()
  const share = limit > 0 ? Math.min(1, value / limit) : 0
  const words = `${format(value)} of ${format(limit)}`
  return (
    <div className="min-w-0">
      <div className="flex flex-wrap justify-between gap-x-3 text-sm">
        <span id={id} className="text-muted">
          {label}
        </span>
        <span className="tabular-nums">{words}</span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: browsers do not let style sheets change a meter element. */}
      <div
        role="meter"
        aria-labelledby={id}
        aria-valuenow={Math.min(value, limit)}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuetext={words}
        className="mt-1 h-1.5 overflow-hidden rounded-full bg-line"
      >
        <div className={`h-full rounded-full ${toneOf(share)}`} style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  )
}
