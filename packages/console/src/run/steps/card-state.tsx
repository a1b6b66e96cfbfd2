// The state of a step, as text with a colour.
import { readable } from '../../parts/values/readable.ts'
import type { CardState } from '../story/cards.ts'

export const stateTones: Readonly<Record<CardState, string>> = {
  pending: 'text-muted bg-muted/12',
  running: 'text-info bg-info/12',
  waiting: 'text-warn bg-warn/14',
  succeeded: 'text-good bg-good/12',
  failed: 'text-bad bg-bad/12',
  skipped: 'text-muted bg-muted/12',
  kept: 'text-good bg-good/12',
}

/** For shapes without text: dots, bars and borders. */
export const stateFills: Readonly<Record<CardState, string>> = {
  pending: 'bg-edge/40',
  running: 'bg-info motion-safe:animate-pulse',
  waiting: 'bg-warn motion-safe:animate-pulse',
  succeeded: 'bg-good',
  failed: 'bg-bad',
  skipped: 'bg-edge/40',
  kept: 'bg-good/60',
}

/** A step that waits for a person is what makes its run await input: people read one word for both. */
export const stateWord = (state: CardState): string => (state === 'waiting' ? readable('awaiting_input') : state)

export function StateMark({ state }: { readonly state: CardState }) {
  return (
    <span className={`rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap ${stateTones[state]}`}>
      {stateWord(state)}
    </span>
  )
}
