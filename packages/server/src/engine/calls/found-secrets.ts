// Notices sensitive values that a model may have found out. No model is shown one, and every text is searched for them.
// But a mask is an answer, too: a model that has 10,000 numbers listed sees which one is masked. It could pass
// the value on in a form that no search finds, so from then on, calls of the run that send data out need approval.
//
// A text counts if the value in it did not come from the run:
//
//   what a model writes                                      any value
//   the output of a computing tool that got no value         any value: code can list candidates
//   the output of a tool that returns untrusted text         values that can be found by trying: a page can list them
//
// Not if the tag allows the tool: it may know the value. The words of the sandbox are the client's script.
import type { Touch } from '../../domain/run/journal.ts'
import type { RepeatedSecret } from '../../domain/secrets/secret-keeper.ts'
import type { Model, ModelReply } from '../../models/port/model.ts'
import { runSliced } from '../../runtime/time-slices.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { logFields } from '../context/log-fields.ts'
import type { PreparedCall } from './prepared-call.ts'
import type { SeenResult } from './secret-calls.ts'
import { computes, receiverCheck } from './secret-receivers.ts'

/** Journaled before the reply is used, so that the calls of the same reply need approval, too. */
export async function noticeInReply(
  context: ExecutionContext,
  { readsPrompt }: Model,
  { text, output, toolCalls }: ModelReply,
): Promise<void> {
  const { secrets } = context.run
  if (!secrets || readsPrompt === false || isNoticed(context)) return
  const said = [text, output ?? null, toolCalls.map(({ name, input }) => [name, input])]
  const found = await runSliced(secrets.repeatedIn(said))
  if (found.length === 0) return
  tell(context, 'what a model wrote', found)
  await context.ledger.touch('sensitive', ['sensitive'])
}

/** Yields where the work can be interrupted. */
export function* noticeInResult(
  context: ExecutionContext,
  prepared: PreparedCall,
  result: SeenResult,
): Generator<void, readonly Touch[]> {
  if (isNoticed(context) || !('before' in result)) return []
  const found = yield* foundIn(context, prepared, result.before)
  if (found.length === 0) return []
  tell(context, `the result of ${prepared.call.name}`, found)
  return ['sensitive']
}

const isNoticed = ({ ledger }: ExecutionContext): boolean => ledger.progress.turns.touched.has('sensitive')

/** `result` is that of the tool, before its secrets were replaced. */
function* foundIn(
  context: ExecutionContext,
  { call, carriesSecrets, touches }: PreparedCall,
  result: unknown,
): Generator<void, readonly RepeatedSecret[]> {
  const { secrets } = context.run
  if (!secrets) return []
  // If a computing tool got a value, its whole output is masked, and shows nothing.
  if (computes(call)) return carriesSecrets ? [] : yield* secrets.repeatedIn(result)
  if (!touches.includes('untrusted')) return []
  const mayKnow = receiverCheck(secrets, call)
  const repeated = yield* secrets.repeatedIn(result)
  return repeated.filter((secret) => secret.isGuessable && !mayKnow(secret))
}

function tell({ parts, run }: ExecutionContext, place: string, found: readonly RepeatedSecret[]): void {
  parts.logger.warn(
    { ...logFields(run, parts.observer), paths: [...new Set(found.map(({ source }) => source))].slice(0, 10) },
    `Sensitive values of the run appeared in ${place}, so a model may know them. Calls that send data out need approval from now on`,
  )
}
