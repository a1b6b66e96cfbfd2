// What the models received and answered: at the left the calls, at the right the chosen one as a conversation.
import type { Turn } from '@runwright/contract'
import { useMemo } from 'react'
import { Button } from '../../parts/controls/button.tsx'
import { Problem } from '../../parts/errors/problem.tsx'
import { EmptyState } from '../../parts/layout/empty-state.tsx'
import { Skeleton } from '../../parts/layout/skeleton.tsx'
import { Duration } from '../../parts/values/duration.tsx'
import { type NamedTurn, nameTurns } from './compare-prompts.ts'
import { TurnConversation } from './turn-conversation.tsx'
import { TurnList } from './turn-list.tsx'
import { useTurns } from './use-turns.ts'

interface TurnsViewProps {
  readonly runId: string
  /** The `seq` of the chosen turn. */
  readonly turn: number | undefined
  /** Changes when there may be more turns. */
  readonly newsSeq: number
  readonly onTurn: (turn: string) => void
}

export function TurnsView({ runId, turn, newsSeq, onTurn }: TurnsViewProps) {
  const { turns, error, isReading, isWhole, retry, readMore } = useTurns(runId, { wanted: turn, newsSeq })
  const named = useMemo(() => nameTurns(turns), [turns])
  if (error) return <Problem error={error} onRetry={retry} />
  const chosen = turn === undefined ? named[0] : named.find((one) => one.turn.seq === turn)
  if (!chosen && isReading) return <Skeleton what="turns" />
  if (named.length === 0) {
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
        {!isWhole && <Button onClick={readMore}>Show more turns</Button>}
      </div>
      {chosen ? (
        <TurnConversation
          key={chosen.turn.seq}
          title={chosen.name}
          turn={chosen.turn}
          other={chosen.previous && { turn: chosen.previous, ...beforeIt }}
        />
      ) : (
        <EmptyState title={`This run has no turn ${turn}.`} />
      )}
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
