// Removes a run's secrets from a change before it is logged. All fields are scrubbed except those listed here as the
// service's own, so a new field is safe by default.
import { isEventReason } from '@runwright/contract'
import type { Kept } from '../../domain/json/map-leaves.ts'
import type { AskedCall, OtherCall } from '../../domain/run/asked-call.ts'
import { fieldsOf, scrubEntry } from '../../domain/secrets/scrub-entry.ts'
import type { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'
import type { NewEvent, NewMemory, NewWait, RunChange } from '../../store/run-log/run-change.ts'

/** A change as a worker writes it, without the run and the customer. */
type Change = Partial<RunChange>

/** Yields where the work can be interrupted. */
export function* scrubChange<C extends Change>(secrets: SecretKeeper, change: C): Generator<void, C> {
  const { memory, result, wait } = change
  const events = change.events && (yield* eachInTurn(change.events, (event) => scrubEvent(secrets, event)))
  const journal = change.journal && (yield* eachInTurn(change.journal, (entry) => scrubEntry(secrets, entry)))
  return {
    ...change,
    ...(events && { events }),
    ...(journal && { journal }),
    ...(memory && { memory: yield* scrubMemory(secrets, memory) }),
    ...(result && { result: yield* scrubResult(secrets, result) }),
    ...(wait && { wait: yield* scrubWait(secrets, wait) }),
  }
}

function* eachInTurn<Item>(
  items: readonly Item[],
  scrub: (item: Item) => Generator<void, Item>,
): Generator<void, Item[]> {
  const scrubbed: Item[] = []
  for (const item of items) {
    scrubbed.push(yield* scrub(item))
    yield
  }
  return scrubbed
}

const scrubMemory = (secrets: SecretKeeper, memory: NewMemory): Generator<void, NewMemory> =>
  secrets.scrub(memory, { ...fieldsOf(memory), id: true, kind: true })

function* scrubEvent(secrets: SecretKeeper, event: NewEvent): Generator<void, NewEvent> {
  const payload = yield* secrets.scrub(event.payload, wordsOf(event))
  return payload === event.payload ? event : { ...event, payload, redacted: true }
}

type Result = NonNullable<Change['result']>

function* scrubResult(secrets: SecretKeeper, { redacted, value }: Result): Generator<void, Result> {
  const scrubbed = yield* secrets.scrub(value, fieldsOf(value))
  return { redacted: redacted || scrubbed !== value, value: scrubbed }
}

/** The prompt and the call are shown to a person, to whom a placeholder means nothing. */
function* scrubWait(secrets: SecretKeeper, wait: NewWait): Generator<void, NewWait> {
  const prompt = yield* showPrompt(secrets, wait.prompt)
  const call = wait.call && (yield* scrubCall(secrets, wait.call))
  const others: OtherCall[] = []
  for (const { key, prompt: asked, call: other } of wait.others ?? [])
    others.push({ key, prompt: yield* showPrompt(secrets, asked), call: yield* scrubCall(secrets, other) })
  const reasonCode = scrubReason(secrets, wait.reasonCode)
  return { ...wait, prompt, reasonCode, ...(call && { call }), ...(wait.others && { others }) }
}

function* showPrompt(secrets: SecretKeeper, prompt: string | null): Generator<void, string | null> {
  return prompt === null ? null : yield* secrets.show(prompt)
}

/** The names of unknown tools are scrubbed when the model's reply arrives. */
function* scrubCall(secrets: SecretKeeper, call: AskedCall): Generator<void, AskedCall> {
  return { ...call, arguments: yield* secrets.show(call.arguments), why: yield* secrets.scrub(call.why) }
}

const scrubReason = (secrets: SecretKeeper, reason: string): string =>
  isEventReason(reason) ? reason : secrets.scrubText(reason)

const wordsInSummary: Kept = {
  schema_version: true,
  stats: true,
  truncated: true,
  preview: {},
  highlights: { '*': { key: {}, value: {}, redacted: true } },
}

/**
 * Fixed protocol values and counts, which may look like a secret. Names of unknown tools are scrubbed when the model's
 * reply arrives.
 */
const wordsInEvents: Exclude<Kept, true> = {
  request_id: true,
  task_id: true,
  tool_call_id: true,
  tool_name: true,
  kind: true,
  outcome: true,
  tool_outcome: true,
  decision_type: true,
  role: true,
  judge_decision: { decision: true, reason: {} },
  tool_input_summary: wordsInSummary,
  tool_output_summary: wordsInSummary,
  duration_ms: true,
  from_status: true,
  to_status: true,
  action: true,
  input_kind: true,
  limitType: true,
  currentValue: true,
  threshold: true,
  unit: true,
}

function wordsOf({ payload }: NewEvent): Kept {
  const reasons = ['reason_code', 'policy_reason_code'].filter((field) => isEventReason(payload[field]))
  return {
    ...fieldsOf(payload),
    ...wordsInEvents,
    ...Object.fromEntries(reasons.map((field) => [field, true as const])),
  }
}
