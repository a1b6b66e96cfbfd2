// The health of the service, refreshed every few seconds. "Down" is a regular result here, not an error.
import type { Dependencies } from '@runwright/contract'
import { useQuery } from '@tanstack/react-query'
import { Problem } from '../parts/errors/problem.tsx'
import { Loading, Page } from '../parts/layout/page.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Instant } from '../parts/values/instant.tsx'
import { plural } from '../parts/values/plural.ts'
import { readableSeconds } from '../parts/values/readable.ts'
import { useSession } from '../session/session.ts'
import { Health } from './health.tsx'
import { History } from './history.tsx'
import { DatabasePanel, QueuePanel, ServicePanel, WorkersPanel } from './parts-of-service.tsx'

const refreshEveryMs = 5_000

const useHealth = () => {
  const { client } = useSession()
  return useQuery({
    queryKey: ['health'],
    queryFn: async ({ signal }) => {
      const [ready, checked] = await Promise.all([
        client.health.ready({ signal }),
        client.health.dependencies({ signal }),
      ])
      return { ready, checked }
    },
    refetchInterval: refreshEveryMs,
  })
}

export function SystemView() {
  const { data, error, isPending, refetch } = useHealth()
  return (
    <Page title="System">
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Loading what="health" />}
      {data && (
        <>
          <p role="status" className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <Health isWell={data.ready.status === 'ok'} word={data.ready.status} />
            {data.ready.status === 'ok' ? 'The service accepts requests.' : 'The service does not accept requests.'}
          </p>
          <div className="grid gap-4 md:grid-cols-2">
            <ServicePanel {...data.checked} />
            <DatabasePanel {...data.checked.dependencies.database} />
            <QueuePanel {...data.checked.dependencies.queue} />
            <WorkersPanel {...data.checked.dependencies.queue} />
            <BreakersPanel breakers={data.checked.breakers ?? []} />
            <ToolChangesPanel changes={data.checked.mcp_changes ?? []} />
          </div>
          <History />
          <p className="text-sm text-muted">
            Checked <Instant at={data.checked.checked_at} />, again every {refreshEveryMs / 1000} seconds.
          </p>
        </>
      )}
    </Page>
  )
}

function BreakersPanel({ breakers }: { readonly breakers: NonNullable<Dependencies['breakers']> }) {
  return (
    <Panel
      title="Models"
      aside={<Health isWell={breakers.length === 0} word={breakers.length === 0 ? 'ok' : 'paused'} />}
    >
      {breakers.length === 0 ? (
        <p className="text-sm text-muted">No model is paused.</p>
      ) : (
        <ul className="flex flex-col gap-2">
          {breakers.map(({ model, failures, retry_in_seconds }) => (
            <li key={model} className="wrap-anywhere">
              <span className="font-mono text-sm">{model}</span> failed {plural(failures, 'time')} in a row. It is
              called again in {readableSeconds(retry_in_seconds)}.
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

function ToolChangesPanel({ changes }: { readonly changes: NonNullable<Dependencies['mcp_changes']> }) {
  if (changes.length === 0) return null
  return (
    <Panel title="Changed tools" aside={<Health isWell={false} word="check" />}>
      <p className="mb-2 text-sm text-muted">
        The definitions of these MCP tools differ from the ones that were first seen or last accepted.
      </p>
      <ul className="flex flex-col gap-1">
        {changes.map(({ server, tool, changed_at }) => (
          <li key={`${server} ${tool}`} className="wrap-anywhere">
            <span className="font-mono text-sm">{tool}</span> of {server}, <Instant at={changed_at} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}
