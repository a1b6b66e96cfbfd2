// Durations: fixed, growing, and counting down.
import { utcText } from './instant.tsx'
import { readableDuration } from './readable.ts'
import { useNow } from './use-now.ts'

export function Duration({ ms }: { readonly ms: number }) {
  return <span className="whitespace-nowrap tabular-nums">{readableDuration(ms)}</span>
}

interface ElapsedProps {
  readonly since: string
  /** Still growing if undefined. */
  readonly until?: string | undefined
}

/** The time since an instant, growing every second unless it has an end. */
export function Elapsed({ since, until }: ElapsedProps) {
  const now = useNow(until === undefined ? 1_000 : null)
  const end = until === undefined ? now : Date.parse(until)
  const ms = Math.max(0, end - Date.parse(since))
  // Below a second only when it is final: a growing figure must not flicker.
  return <Duration ms={until === undefined ? Math.floor(ms / 1_000) * 1_000 : ms} />
}

/** The time until an instant: `4 min 3 s left`, `expired`. */
export function Countdown({ until }: { readonly until: string }) {
  const left = Date.parse(until) - useNow()
  const tone = left < 60_000 ? 'text-bad' : left < 3_600_000 ? 'text-warn' : 'text-muted'
  return (
    <time dateTime={until} title={utcText(until)} className={`whitespace-nowrap tabular-nums ${tone}`}>
      {left <= 0 ? 'expired' : `${readableDuration(Math.ceil(left / 1_000) * 1_000)} left`}
    </time>
  )
}

/** `3 min ago`. */
export function Age({ at }: { readonly at: string }) {
  const ms = Math.max(0, useNow(10_000) - Date.parse(at))
  return (
    <time dateTime={at} title={utcText(at)} className="whitespace-nowrap tabular-nums">
      {ms < 10_000 ? 'just now' : `${readableDuration(Math.floor(ms / 1_000) * 1_000, 1)} ago`}
    </time>
  )
}
