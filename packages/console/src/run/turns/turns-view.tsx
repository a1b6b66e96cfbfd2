// What the models received and answered: at the left the calls, at the right the chosen one as a conversation.
import type { Turn } from '@runwright/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Button } from '../../parts/controls/button.tsx'
import { Problem } from '../../parts/errors/problem.tsx'
import { EmptyState } from '../../parts/layout/empty-state.tsx'
import { Skeleton } from '../../parts/layout/skeleton.tsx'
import { Duration } from '../../parts/values/duration.tsx'
import { useSession } from '../../session/session.ts'
import { type NamedTurn, nameTurns } from './compare-prompts.ts'
import { readTurns } from './read-turns.ts'
import { TurnConversation } from './turn-conversation.tsx'
import { TurnList } from './turn-list.tsx'

const pageSize = 20

interface TurnsViewProps {
  readonly runId: string
  /** The `seq` of the chosen turn. */
  readonly turn: number | undefined
  readonly onTurn: (turn: string) => void
}

const useTurns = (runId: string, wanted: number | undefined) => {
  const { client } = useSession()
  return useInfiniteQuery({
    queryKey: ['run-turns', runId],
    // The first page reaches as far as the turn of the URL.
    queryFn: ({ pageParam, signal }) =>
      readTurns(client, runId, {
        after: pageParam,
        limit: pageParam === 0 ? Math.min(200, Math.max(pageSize, wanted ?? 0)) : pageSize,
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ isLast, next_after }) => (isLast ? undefined : next_after),
  })
}

export function TurnsView({ runId, turn, onTurn }: TurnsViewProps) {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage } = useTurns(runId, turn)
  const named = useMemo(() => nameTurns(data?.pages.flatMap((page) => page.turns) ?? []), [data])
  if (error) return <Problem error={error} onRetry={() => void refetch()} />
  if (isPending) return <Skeleton what="turns" />
  const chosen = named.find((one) => one.turn.seq === turn) ?? named[0]
  if (!chosen) {
    return <EmptyState title="No call to a model is recorded. The sandbox reads no prompts, so its calls are not." />
  }
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[21rem_minmax(0,1fr)]">
      <div className="flex min-w-0 flex-col gap-2 lg:sticky lg:top-20">
        <TurnList
          label="Turns of the run"
          turns={named}
          chosen={chosen}
          onChoose={(one) => onTurn(String(one.turn.seq))}
        >
          {(one) => <TurnRow {...one} />}
        </TurnList>
        {hasNextPage && <Button onClick={() => void fetchNextPage()}>Show more turns</Button>}
      </div>
      <TurnConversation
        key={chosen.turn.seq}
        title={chosen.name}
        turn={chosen.turn}
        other={chosen.previous && { turn: chosen.previous, ...beforeIt }}
      />
    </div>
  )
}

const beforeIt = { had: 'that the turn before had, too', changed: 'changed since the turn before', isShown: true }

export const outcomeTone = ({ outcome }: Turn) => (outcome === 'reply' ? 'text-good' : 'text-bad')

function TurnRow({ turn, name }: NamedTurn) {
  return (
    <>
      <span className="flex justify-between gap-3">
        <span className="truncate font-medium">{name}</span>
        <span className={outcomeTone(turn)}>{turn.outcome}</span>
      </span>
      <span className="flex justify-between gap-3 text-xs text-muted">
        <span className="truncate">
          {turn.role} · {turn.model}
        </span>
        <Duration ms={turn.duration_ms} />
      </span>
    </>
  )
}
