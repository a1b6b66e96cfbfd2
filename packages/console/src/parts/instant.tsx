// A time in the local time zone, with UTC in the tooltip.
const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

export function Instant({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at} className="tabular-nums">
      {format.format(new Date(at))}
    </time>
  )
}
