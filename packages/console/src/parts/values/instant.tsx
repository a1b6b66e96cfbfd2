// A time in the local time zone, with UTC on hover.
const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** `2026-11-15 09:30:00 UTC`. */
export const utcText = (at: string): string => `${at.slice(0, 19).replace('T', ' ')} UTC`

export function Instant({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={utcText(at)} className="tabular-nums">
      {format.format(new Date(at))}
    </time>
  )
}
