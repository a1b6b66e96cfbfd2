// What the models received and answered.
import type { Turn, TurnMessage } from '@runwright/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Button } from '../parts/controls/button.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { Skeleton } from '../parts/layout/skeleton.tsx'
import { ArgumentsTable } from '../parts/values/arguments-table.tsx'
import { Duration } from '../parts/values/duration.tsx'
import { Markdown } from '../parts/values/markdown.tsx'
import { plural } from '../parts/values/plural.ts'
import { useSession } from '../session/session.ts'

const pageSize = 20

export function TurnsView({ runId }: { readonly runId: string }) {
  const { client } = useSession()
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['run-turns', runId],
    queryFn: ({ pageParam, signal }) => client.runs.turns(runId, { after: pageParam, limit: pageSize, signal }),
    initialPageParam: 0,
    getNextPageParam: ({ turns, next_after }) => (turns.length < pageSize ? undefined : next_after),
  })
  const turns = data?.pages.flatMap((page) => page.turns) ?? []
  if (error) return <Problem error={error} onRetry={() => void refetch()} />
  if (isPending) return <Skeleton what="turns" />
  if (turns.length === 0) {
    return <EmptyState title="No call to a model is recorded. The sandbox reads no prompts, so its calls are not." />
  }
  return (
    <div className="flex flex-col gap-3">
      {turns.map((turn) => (
        <TurnItem key={turn.seq} turn={turn} />
      ))}
      {hasNextPage && <Button onClick={() => void fetchNextPage()}>Show more turns</Button>}
    </div>
  )
}

/** Steps without a plan are numbered. */
const stepName = (id: string) => (id.startsWith('#') ? `Step ${Number(id.slice(1)) + 1}` : id)

function TurnItem({ turn }: { readonly turn: Turn }) {
  return (
    <details className="rounded-lg border border-line bg-surface">
      <summary className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
        <span className="text-muted tabular-nums">{turn.seq}</span>
        <span className="font-medium">{stepName(turn.step_id)}</span>
        <span>{turn.role}</span>
        <span className="font-mono text-sm text-muted wrap-anywhere">{turn.model}</span>
        <span className={turn.outcome === 'reply' ? 'text-good' : 'text-bad'}>{turn.outcome}</span>
        <span className="ml-auto flex gap-4 text-sm text-muted">
          {turn.usage && plural(turn.usage.total, 'token')}
          <Duration ms={turn.duration_ms} />
        </span>
      </summary>
      <div className="flex flex-col gap-3 border-t border-line px-4 py-3">
        {turn.messages.map((message, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have no other identity, and never change.
          <Message key={index} message={message} />
        ))}
        {turn.reply && <Reply reply={turn.reply} />}
        {turn.failure && <p className="text-bad wrap-anywhere">{turn.failure.message}</p>}
      </div>
    </details>
  )
}

const headingClass = 'text-xs font-semibold text-muted first-letter:uppercase'

function Message({ message }: { readonly message: TurnMessage }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <h3 className={headingClass}>{message.from === 'tool' ? `Result of ${message.name}` : message.from}</h3>
      {message.from === 'tool' ? (
        <ArgumentsTable label={`Result of ${message.name}`} value={message.result} />
      ) : (
        <p className="text-sm whitespace-pre-wrap wrap-anywhere">{message.text}</p>
      )}
      {message.from === 'assistant' && <Calls calls={message.tool_calls} />}
    </div>
  )
}

function Reply({ reply }: { readonly reply: NonNullable<Turn['reply']> }) {
  return (
    <div className="flex min-w-0 flex-col gap-2 border-l-2 border-accent pl-3">
      <h3 className={headingClass}>Reply</h3>
      {reply.text !== '' && <Markdown text={reply.text} />}
      <Calls calls={reply.tool_calls} />
      {reply.output !== undefined && <ArgumentsTable label="Structured output" value={reply.output} />}
    </div>
  )
}

function Calls({ calls }: { readonly calls: NonNullable<Turn['reply']>['tool_calls'] }) {
  return calls.map((call) => (
    <div key={call.id} className="flex flex-col gap-1">
      <p className="text-sm">
        Calls <span className="font-mono font-medium">{call.name}</span>
      </p>
      <ArgumentsTable label={`Call of ${call.name}`} value={call.input} />
    </div>
  ))
}
