// What the models received and answered: at the left the calls, at the right the chosen one as a conversation.
import type { Turn } from '@runwright/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'
import { Button } from '../../parts/controls/button.tsx'
import { Problem } from '../../parts/errors/problem.tsx'
import { EmptyState } from '../../parts/layout/empty-state.tsx'
import { Skeleton } from '../../parts/layout/skeleton.tsx'
import { Duration } from '../../parts/values/duration.tsx'
import { useSession } from '../../session/session.ts'
import { useShortcut } from '../../shell/shortcuts.ts'
import { type NamedTurn, nameTurns } from './compare-prompts.ts'
import { TurnConversation } from './turn-conversation.tsx'

const pageSize = 20
const rowHeight = 52

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
      client.runs.turns(runId, {
        after: pageParam,
        limit: pageParam === 0 ? Math.min(200, Math.max(pageSize, wanted ?? 0)) : pageSize,
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ turns, next_after }) => (turns.length < pageSize ? undefined : next_after),
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
        <TurnList named={named} chosen={chosen} onTurn={onTurn} />
        {hasNextPage && <Button onClick={() => void fetchNextPage()}>Show more turns</Button>}
      </div>
      <TurnConversation key={chosen.turn.seq} named={chosen} />
    </div>
  )
}

interface TurnListProps {
  readonly named: readonly NamedTurn[]
  readonly chosen: NamedTurn
  readonly onTurn: (turn: string) => void
}

function TurnList({ named, chosen, onTurn }: TurnListProps) {
  const scroller = useRef<HTMLElement>(null)
  const list = useVirtualizer({
    count: named.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    initialRect: { width: 0, height: 640 },
  })
  const move = (by: number) => {
    const to = named[named.indexOf(chosen) + by]
    if (to) onTurn(String(to.turn.seq))
  }
  useShortcut('j', 'Next turn', () => move(1))
  useShortcut('k', 'Previous turn', () => move(-1))
  return (
    <section
      ref={scroller}
      aria-label="Turns of the run"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the list must be scrollable by keyboard.
      tabIndex={0}
      className="overflow-y-auto rounded-lg border border-line bg-surface -outline-offset-2"
      style={{ height: Math.min(640, named.length * rowHeight + 2), maxHeight: '70dvh' }}
    >
      <ol className="relative w-full" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, start }) => {
          const one = named[index]
          return (
            one && (
              <li
                key={one.turn.seq}
                aria-setsize={named.length}
                aria-posinset={index + 1}
                className="absolute inset-x-0 top-0 border-b border-line"
                style={{ transform: `translateY(${start}px)`, height: rowHeight }}
              >
                <TurnRow {...one} isCurrent={one === chosen} onChoose={() => onTurn(String(one.turn.seq))} />
              </li>
            )
          )
        })}
      </ol>
    </section>
  )
}

export const outcomeTone = ({ outcome }: Turn) => (outcome === 'reply' ? 'text-good' : 'text-bad')

interface TurnRowProps extends NamedTurn {
  readonly isCurrent: boolean
  readonly onChoose: () => void
}

function TurnRow({ turn, name, isCurrent, onChoose }: TurnRowProps) {
  return (
    <button
      type="button"
      aria-current={isCurrent}
      onClick={onChoose}
      className="flex h-full w-full flex-col justify-center px-3 text-left text-sm -outline-offset-2 hover:bg-sunken/60 aria-[current=true]:bg-accent/10 aria-[current=true]:shadow-marked"
    >
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
    </button>
  )
}
