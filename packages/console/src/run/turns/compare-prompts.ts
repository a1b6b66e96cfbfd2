// What a prompt has that the one before did not have: models are sent the whole conversation every time.
import type { Turn, TurnMessage, TurnReply } from '@runwright/contract'

export interface ComparedMessage {
  readonly message: TurnMessage
  readonly kind: 'same' | 'changed' | 'new'
  /** The text at the same place of the prompt before. */
  readonly before?: string
}

const textOf = (message: TurnMessage): string =>
  message.from === 'tool' ? JSON.stringify(message.result, undefined, 2) : message.text

type Part = TurnMessage | TurnReply

/** The ids of calls are the model's own, and say nothing. Ids in arguments and results do. */
const withoutCallIds = (part: Part): object => {
  if ('tool_calls' in part) return { ...part, tool_calls: part.tool_calls.map((call) => ({ ...call, id: '' })) }
  return 'call_id' in part ? { ...part, call_id: '' } : part
}

export const isSame = (parts: readonly Part[], others: readonly Part[]): boolean =>
  JSON.stringify(parts.map(withoutCallIds)) === JSON.stringify(others.map(withoutCallIds))

export const comparePrompts = (messages: readonly TurnMessage[], before: readonly TurnMessage[]): ComparedMessage[] =>
  messages.map((message, index) => {
    const other = before[index]
    if (!other || other.from !== message.from) return { message, kind: 'new' }
    if (isSame([message], [other])) return { message, kind: 'same' }
    return { message, kind: 'changed', before: textOf(other) }
  })

/** Steps without a plan are numbered. */
const stepName = (id: string) => (/^#\d+$/.test(id) ? `step ${Number(id.slice(1)) + 1}` : id)

export interface NamedTurn {
  readonly turn: Turn
  /** `step 3 · turn 2`, counted for each step and role. If the step begins again: `step 3 · turn 2 of round 2`. */
  readonly name: string
  /** The call before it of the same step, role and round. */
  readonly previous: Turn | undefined
}

/** A step begins again when another plan has it, too: as another task. */
export const nameTurns = (turns: readonly Turn[]): readonly NamedTurn[] => {
  const rounds = new Map<string, number>()
  const tasks = new Map<string, { readonly round: number; readonly count: number; readonly last: Turn }>()
  return turns.map((turn) => {
    const step = stepName(turn.step_id)
    const [stepKey, taskKey] = [`${turn.role} ${step}`, `${turn.role} ${turn.task_id}`]
    const before = tasks.get(taskKey)
    const round = before?.round ?? (rounds.get(stepKey) ?? 0) + 1
    const count = (before?.count ?? 0) + 1
    if (!before) rounds.set(stepKey, round)
    tasks.set(taskKey, { round, count, last: turn })
    const name = `${step} · turn ${count}${round > 1 ? ` of round ${round}` : ''}`
    return { turn, name, previous: before?.last }
  })
}
