// The turns of both runs: a list of pairs, and the chosen one as two conversations.
import type { Turn } from '@runwright/contract'
import { useMemo } from 'react'
import { Panel } from '../parts/layout/panel.tsx'
import { readableDuration, readableNumber } from '../parts/values/readable.ts'
import { TurnConversation } from '../run/turns/turn-conversation.tsx'
import { TurnList } from '../run/turns/turn-list.tsx'
import type { Pair } from './compared-run.ts'
import { type Likeness, likenessOf, pairTurns, type TurnPair } from './pair-turns.ts'

interface TurnsSideBySideProps extends Pair {
  /** The name of the chosen pair. */
  readonly chosen: string | undefined
  readonly onChoose: (name: string) => void
}

export function TurnsSideBySide({ left, right, chosen: name, onChoose }: TurnsSideBySideProps) {
  const pairs = useMemo(() => pairTurns(left.turns, right.turns), [left.turns, right.turns])
  const chosen =
    pairs.find((pair) => pair.name === name) ?? pairs.find((pair) => likenessOf(pair) !== 'same') ?? pairs[0]
  if (!chosen) return null
  return (
    <Panel title="Turns">
      <div className="grid items-start gap-4 xl:grid-cols-[18rem_minmax(0,1fr)]">
        <TurnList label="Turns of both runs" turns={pairs} chosen={chosen} onChoose={(pair) => onChoose(pair.name)}>
          {(pair) => <Row {...pair} />}
        </TurnList>
        <div key={chosen.name} className="grid min-w-0 items-start gap-4 md:grid-cols-2">
          <Side title="Left" turn={chosen.left} other={chosen.right} />
          <Side title="Right" turn={chosen.right} other={chosen.left} />
        </div>
      </div>
    </Panel>
  )
}

const tones: Readonly<Record<Likeness, string>> = {
  same: 'text-muted',
  'other prompt': 'text-warn',
  'other answer': 'text-warn',
  'left only': 'text-info',
  'right only': 'text-info',
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
  readonly turn: Turn | undefined
  readonly other: Turn | undefined
}

function Side({ title, turn, other }: SideProps) {
  if (!turn) {
    return (
      <Panel title={title}>
        <p className="text-sm text-muted">This run has no such turn.</p>
      </Panel>
    )
  }
  const changed = title === 'Right' ? 'changed from the left' : 'otherwise at the right'
  const words = { had: 'that both runs have', changed, isShown: title === 'Right' }
  return <TurnConversation title={title} turn={turn} other={other && { turn: other, ...words }} />
}
