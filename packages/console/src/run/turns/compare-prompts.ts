// What a prompt has that the one before did not have: models are sent the whole conversation every time.
import type { Turn, TurnMessage } from '@runwright/contract'

export interface ComparedMessage {
  readonly message: TurnMessage
  readonly kind: 'same' | 'changed' | 'new'
  /** The text at the same place of the prompt before. */
  readonly before?: string
}

const textOf = (message: TurnMessage): string =>
  message.from === 'tool' ? JSON.stringify(message.result, undefined, 2) : message.text

/** The ids of calls are the model's own, and say nothing. */
const withoutIds = (key: string, value: unknown): unknown => (key === 'id' || key === 'call_id' ? undefined : value)

export const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one, withoutIds) === JSON.stringify(other, withoutIds)

export const comparePrompts = (messages: readonly TurnMessage[], before: readonly TurnMessage[]): ComparedMessage[] =>
  messages.map((message, index) => {
    const other = before[index]
    if (!other || other.from !== message.from) return { message, kind: 'new' }
    if (isSame(message, other)) return { message, kind: 'same' }
    return { message, kind: 'changed', before: textOf(other) }
  })

/** Steps without a plan are numbered. */
const stepName = (id: string) => (id.startsWith('#') ? `step ${Number(id.slice(1)) + 1}` : id)

export interface NamedTurn {
  readonly turn: Turn
  /** `step 3 · turn 2`, counted for each step and role. */
  readonly name: string
  /** The call before it of the same step and role. */
  readonly previous: Turn | undefined
}

export const nameTurns = (turns: readonly Turn[]): readonly NamedTurn[] => {
  const seen = new Map<string, { readonly count: number; readonly last: Turn }>()
  return turns.map((turn) => {
    const key = `${turn.role} ${turn.task_id}`
    const before = seen.get(key)
    const count = (before?.count ?? 0) + 1
    seen.set(key, { count, last: turn })
    return { turn, name: `${stepName(turn.step_id)} · turn ${count}`, previous: before?.last }
  })
}
