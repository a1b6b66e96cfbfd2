// The turns of both runs: a list of pairs, and the chosen one as two conversations.
import type { Turn } from '@runwright/contract'
import { useMemo } from 'react'
import { Panel } from '../parts/layout/panel.tsx'
import { readableDuration, readableNumber } from '../parts/values/readable.ts'
import { TurnConversation } from '../run/turns/turn-conversation.tsx'
import { TurnList } from '../run/turns/turn-list.tsx'
import type { ComparedRun, Pair } from './compared-run.ts'
import { type Likeness, likenessOf, pairTurns, type TurnPair } from './pair-turns.ts'

interface TurnsSideBySideProps extends Pair {
  /** The name of the chosen pair. */
  readonly chosen: string | undefined
  readonly onChoose: (name: string) => void
}

export function TurnsSideBySide({ left, right, chosen: name, onChoose }: TurnsSideBySideProps) {
  const pairs = useMemo(() => pairTurns(left, right), [left, right])
  const chosen = pairs.find((pair) => pair.name === name) ?? pairs.find(differs) ?? pairs[0]
  if (!chosen) return null
  return (
    <Panel title="Turns">
      <div className="grid items-start gap-4 xl:grid-cols-[18rem_minmax(0,1fr)]">
        <TurnList label="Turns of both runs" turns={pairs} chosen={chosen} onChoose={(pair) => onChoose(pair.name)}>
          {(pair) => <Row {...pair} />}
        </TurnList>
        <div key={chosen.name} className="grid min-w-0 items-start gap-4 md:grid-cols-2">
          <Side title="Left" run={left} turn={chosen.left} other={chosen.right} />
          <Side title="Right" run={right} turn={chosen.right} other={chosen.left} />
        </div>
      </div>
    </Panel>
  )
}

const differs = (pair: TurnPair) => !['same', 'not compared'].includes(likenessOf(pair))

const tones: Readonly<Record<Likeness, string>> = {
  same: 'text-muted',
  'other prompt': 'text-warn',
  'other answer': 'text-warn',
  'left only': 'text-info',
  'right only': 'text-info',
  'not compared': 'text-muted',
}

function Row(pair: TurnPair) {
  const likeness = likenessOf(pair)
  const times = [pair.left, pair.right].map((turn) => (turn ? readableDuration(turn.duration_ms) : '–'))
  const tokens = [pair.left, pair.right].map((turn) => (turn?.usage ? readableNumber(turn.usage.total) : '–'))
  return (
    <>
      <span className="truncate font-medium">{pair.name}</span>
      <span className="flex justify-between gap-3 text-xs text-muted">
        <span className="truncate">
          {tokens.join(' → ')} tokens · {times.join(' → ')}
        </span>
        <span className={`whitespace-nowrap ${tones[likeness]}`}>{likeness}</span>
      </span>
    </>
  )
}

interface SideProps {
  readonly title: 'Left' | 'Right'
  readonly run: ComparedRun
  readonly turn: Turn | undefined
  readonly other: Turn | undefined
}

function Side({ title, run, turn, other }: SideProps) {
  if (!turn) {
    const missing = run.isCut
      ? `This turn is not among the first ${run.turns.length} of this run.`
      : 'This run has no such turn.'
    return (
      <Panel title={title}>
        <p className="text-sm text-muted">{missing}</p>
      </Panel>
    )
  }
  const isRight = title === 'Right'
  const changed = isRight ? 'changed from the left' : 'differs on the right'
  const words = { had: 'that both runs have', changed, isShown: isRight }
  return (
    <TurnConversation
      title={title}
      side={isRight ? 'right' : 'left'}
      turn={turn}
      other={other && { turn: other, ...words }}
    />
  )
}
