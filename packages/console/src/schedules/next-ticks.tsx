// When an expression fires next, as the service computes it. Also for one that is not saved yet.
import { useQuery } from '@tanstack/react-query'
import { explainError } from '../parts/errors/explain-error.ts'
import { useSession } from '../session/session.ts'

interface NextTicksProps {
  readonly cron: string
  readonly timeZone: string
}

const formatIn = (timeZone: string) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short', timeZone })

/** In the time zone of the schedule: this is where its clock is. */
const textIn = (timeZone: string, at: string): string => formatIn(timeZone).format(new Date(at))

export function NextTicks({ cron, timeZone }: NextTicksProps) {
  const { readOwn } = useSession()
  const zone = timeZone.trim() === '' ? 'UTC' : timeZone.trim()
  const query = new URLSearchParams({ cron: cron.trim(), time_zone: zone })
  const { data, error } = useQuery({
    queryKey: ['ticks', String(query)],
    queryFn: async ({ signal }) => (await readOwn(`ticks?${query}`, signal)) as { readonly ticks: readonly string[] },
    enabled: cron.trim() !== '',
    placeholderData: (before) => before,
    retry: false,
    staleTime: 30_000,
  })
  if (cron.trim() === '') return <p className="text-sm text-muted">Enter an expression to see when it fires.</p>
  if (error) return <p className="text-sm text-bad wrap-anywhere">{explainError(error).message}</p>
  if (!data) return <p className="text-sm text-muted">Computing…</p>
  return (
    <ol aria-label="Next ticks" className="flex flex-col gap-0.5 text-sm tabular-nums">
      {data.ticks.map((at) => (
        <li key={at}>
          <time dateTime={at} title={at}>
            {textIn(zone, at)}
          </time>
        </li>
      ))}
      <li className="text-muted">In {zone}.</li>
    </ol>
  )
}
