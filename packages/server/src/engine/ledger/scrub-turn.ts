// Removes a run's secrets from a turn before it is logged.
import type { TurnMessage } from '@runwright/contract'
import type { Kept } from '../../domain/json/map-leaves.ts'
import { mask } from '../../domain/secrets/mask.ts'
import type { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'
import type { TurnBody } from '../../store/run-log/run-change.ts'

/** The service's own field names and words, which may look like a secret. What is in the other fields is scrubbed. */
const calls: Kept = { '*': { id: {}, name: {}, input: {}, via: true } }
const wordsInMessage: Kept = {
  from: true,
  failed: true,
  text: {},
  name: {},
  call_id: {},
  result: {},
  tool_calls: calls,
  files: { '*': { ref: {}, media_type: true, bytes: true } },
}
const wordsInReply: Kept = { text: {}, tool_calls: calls, output: {}, finish: true, echo: {} }

/** Yields where the work can be interrupted. */
export function* scrubMessage(secrets: SecretKeeper | undefined, message: TurnMessage): Generator<void, TurnMessage> {
  return secrets ? yield* scrubFields(secrets, message, wordsInMessage) : message
}

type Body = Omit<TurnBody, 'truncated'>

/** Yields where the work can be interrupted. */
export function* scrubTurnBody(secrets: SecretKeeper | undefined, body: Body): Generator<void, Body> {
  if (!secrets) return body
  const { reply, failure, added_to_system: added } = body
  return {
    ...body,
    reply: reply && (yield* scrubFields(secrets, yield* hideInCalls(secrets, reply), wordsInReply)),
    failure: failure && { ...failure, message: secrets.scrubCut(failure.message) },
    ...(added !== undefined && { added_to_system: secrets.scrubText(added) }),
  }
}

type Reply = NonNullable<TurnBody['reply']>

/** As in the journal: later turns show the model its own calls with placeholders, and a replayed call needs them. */
function* hideInCalls(secrets: SecretKeeper, reply: Reply): Generator<void, Reply> {
  const tool_calls: Reply['tool_calls'][number][] = []
  for (const call of reply.tool_calls) tool_calls.push({ ...call, input: yield* secrets.hide(call.input) })
  return { ...reply, tool_calls }
}

/** A field that is a secret as a whole, and would be dropped, is masked: every record has all its fields. */
function* scrubFields<T extends object>(secrets: SecretKeeper, value: T, kept: Kept): Generator<void, T> {
  const scrubbed = yield* secrets.scrub(value, kept)
  if (scrubbed === value) return value
  const masked = Object.fromEntries(Object.keys(value).map((field) => [field, mask]))
  return { ...masked, ...scrubbed }
}
