// The file format of cassettes: one JSON object a line. The first is the header, each other one a call to a model. As
// in the database, a line has only the messages that the line before it, of the same task and role, lacks.
import type { TurnMessage, TurnRole } from '@runwright/contract'
import { z } from 'zod'
import type { TurnBody } from '../../store/run-log/run-change.ts'
import type { StoredTurn } from '../../store/turns/turns.ts'

const version = 1

/** A call to a model. */
export type RecordedTurn = Pick<StoredTurn, 'seq' | 'attempt' | 'taskKey' | 'callKey' | 'role' | 'messages' | 'body'>

export const headerSchema = z.object({
  version: z.literal(version),
  fingerprint: z.string(),
  run_id: z.string().describe('A UUID'),
  agent: z.unknown(),
  models: z.array(z.string()),
})
export type CassetteHeader = z.infer<typeof headerSchema>

const lineSchema = z.object({
  seq: z.int(),
  attempt: z.int(),
  role: z.string(),
  call: z.string(),
  shared: z.int(),
  messages: z.array(z.looseObject({ from: z.string() })),
  body: z.looseObject({ outcome: z.string() }),
})

export function cassetteText(run: Omit<CassetteHeader, 'version' | 'models'>, turns: readonly RecordedTurn[]): string {
  const models = [...new Set(turns.map(({ body }) => body.model))]
  const chains = new Map<string, readonly string[]>()
  const lines = turns.map((turn) => {
    const chain = chainOf(turn)
    const texts = turn.messages.map((message) => JSON.stringify(message))
    const shared = countShared(texts, chains.get(chain) ?? [])
    chains.set(chain, texts)
    const { seq, attempt, role, callKey: call, body } = turn
    return { seq, attempt, role, call, shared, messages: turn.messages.slice(shared), body }
  })
  return [{ version, ...run, models }, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** Throws if the text is not a cassette of this version. */
export function parseCassette(text: string): { header: CassetteHeader; turns: RecordedTurn[] } {
  const [first = '', ...lines] = text.split('\n').filter((line) => line !== '')
  const chains = new Map<string, readonly TurnMessage[]>()
  const turns = lines.map((line) => {
    const { seq, attempt, role, call, shared, messages, body } = lineSchema.parse(JSON.parse(line))
    const of = { callKey: call, taskKey: taskOfCall(call), role: role as TurnRole }
    const whole = [...(chains.get(chainOf(of)) ?? []).slice(0, shared), ...(messages as unknown as TurnMessage[])]
    chains.set(chainOf(of), whole)
    return { ...of, seq, attempt, messages: whole, body: body as unknown as TurnBody }
  })
  return { header: headerSchema.parse(JSON.parse(first)), turns }
}

/** The key of a call is that of its task, a colon, and a name without one. */
export const taskOfCall = (callKey: string): string => callKey.slice(0, callKey.lastIndexOf(':'))

const chainOf = ({ role, taskKey }: Pick<RecordedTurn, 'role' | 'taskKey'>): string => `${role} ${taskKey}`

function countShared(texts: readonly string[], before: readonly string[]): number {
  let shared = 0
  while (shared < texts.length && texts[shared] === before[shared]) shared += 1
  return shared
}
