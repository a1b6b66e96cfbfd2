// The turns of two runs, side by side: by role, step and how many turns of the step came before.
import type { Turn } from '@runwright/contract'
import { isSame, nameTurns } from '../run/turns/compare-prompts.ts'

export interface TurnPair {
  /** `worker · step 3 · turn 2`. */
  readonly name: string
  readonly left: Turn | undefined
  readonly right: Turn | undefined
}

const byName = (turns: readonly Turn[]): ReadonlyMap<string, Turn> =>
  new Map(nameTurns(turns).map(({ turn, name }) => [`${turn.role} · ${name}`, turn]))

/** In the order of the left run. What only the right one has comes last. */
export function pairTurns(left: readonly Turn[], right: readonly Turn[]): readonly TurnPair[] {
  const [lefts, rights] = [byName(left), byName(right)]
  return [...new Set([...lefts.keys(), ...rights.keys()])].map((name) => ({
    name,
    left: lefts.get(name),
    right: rights.get(name),
  }))
}

export type Likeness = 'same' | 'other prompt' | 'other answer' | 'left only' | 'right only'

export function likenessOf({ left, right }: TurnPair): Likeness {
  if (!right) return 'left only'
  if (!left) return 'right only'
  if (!isSame(left.messages, right.messages)) return 'other prompt'
  const isSameAnswer = left.outcome === right.outcome && isSame(left.reply, right.reply)
  return isSameAnswer ? 'same' : 'other answer'
}
