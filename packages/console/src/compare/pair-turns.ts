// The turns of two runs, side by side: by role, step and how many turns of the step came before.
import type { Turn } from '@runwright/contract'
import { isSame, nameTurns } from '../run/turns/compare-prompts.ts'
import type { ComparedRun } from './compared-run.ts'

export interface TurnPair {
  /** `worker · step 3 · turn 2`. */
  readonly name: string
  readonly left: Turn | undefined
  readonly right: Turn | undefined
  /** The run without the turn may have it among those that were not read. */
  readonly isUnread: boolean
}

type ReadTurns = Pick<ComparedRun, 'turns' | 'isCut'>

const byName = (turns: readonly Turn[]): ReadonlyMap<string, Turn> =>
  new Map(nameTurns(turns).map(({ turn, name }) => [`${turn.role} · ${name}`, turn]))

/** In the order of the left run. What only the right one has comes last. */
export function pairTurns(left: ReadTurns, right: ReadTurns): readonly TurnPair[] {
  const [lefts, rights] = [byName(left.turns), byName(right.turns)]
  return [...new Set([...lefts.keys(), ...rights.keys()])].map((name) => ({
    name,
    left: lefts.get(name),
    right: rights.get(name),
    isUnread: (!lefts.has(name) && left.isCut) || (!rights.has(name) && right.isCut),
  }))
}

export type Likeness = 'same' | 'other prompt' | 'other answer' | 'left only' | 'right only' | 'not compared'

export function likenessOf({ left, right, isUnread }: TurnPair): Likeness {
  if (isUnread) return 'not compared'
  if (!right) return 'left only'
  if (!left) return 'right only'
  if (!isSame(left.messages, right.messages)) return 'other prompt'
  return isSameAnswer(left, right) ? 'same' : 'other answer'
}

const replies = ({ reply }: Turn) => (reply ? [reply] : [])

const isSameAnswer = (left: Turn, right: Turn): boolean =>
  left.outcome === right.outcome &&
  isSame(replies(left), replies(right)) &&
  JSON.stringify(left.failure) === JSON.stringify(right.failure)
