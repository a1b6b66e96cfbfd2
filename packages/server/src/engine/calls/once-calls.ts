// Calls of one reply that have side effects (`once`). They run one after another, and an identical call is made only
// once. What people decide comes first:
//
//   they have denied the first call, or given its result  -> a later identical call is no repeat of it
//   they have changed the arguments of the first call     -> a later call with the new arguments is a repeat
//   they have decided about the later call itself         -> it is no repeat
import { canonicalJson } from '../../domain/json/canonical-json.ts'
import type { JournaledCall } from '../../domain/run/journal.ts'
import { runSliced } from '../../runtime/time-slices.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { decideCall, isAnswered, wantedCall } from './decided-call.ts'
import { effectOf, prepareCall } from './prepared-call.ts'
import { type SeenResult, showInputs } from './secret-calls.ts'

/** Calls that may run in parallel. A `once` call is alone in its group. */
interface CallGroup {
  readonly calls: readonly JournaledCall[]
  readonly isOnce: boolean
}

interface OrderedCalls {
  readonly groups: readonly CallGroup[]
  /** By call id: the earlier identical call. The repeated call is not made. */
  readonly repeats: ReadonlyMap<string, JournaledCall>
}

export async function orderCalls(context: ExecutionContext, calls: readonly JournaledCall[]): Promise<OrderedCalls> {
  const decided = calls.map((call) => decideCall(context, call).call)
  if (context.run.secrets) await runSliced(showInputs(context.run.secrets, decided))
  const effects = await Promise.all(decided.map((call) => effectOf(prepareCall(context, call, undefined))))
  const firsts = new Map<string, JournaledCall>()
  const repeats = new Map<string, JournaledCall>()
  const groups: { readonly calls: JournaledCall[]; readonly isOnce: boolean }[] = []
  for (const [index, call] of calls.entries()) {
    const isOnce = effects[index] === 'once'
    const first = isOnce && !isAnswered(context, call) ? firsts.get(printOf(call)) : undefined
    if (first) repeats.set(call.callId, first)
    else if (isOnce || groups.at(-1)?.isOnce !== false) groups.push({ calls: [call], isOnce })
    else groups.at(-1)?.calls.push(call)
    const wanted = isOnce && !first ? wantedCall(context, call) : undefined
    if (wanted) firsts.set(printOf(wanted), call)
  }
  return { groups, repeats }
}

const printOf = ({ name, input }: JournaledCall): string => canonicalJson([name, input])

/** The result that the model gets for a repeated call. */
export const repeatedCall = ({ name, modelCallId }: JournaledCall): SeenResult => ({
  outcome: 'failed',
  message: `This call repeats the call ${modelCallId} of ${name} in the same reply. It was not made again; see that call's result.`,
  noEffect: true,
})
