// A decision in words: before it is sent, and once the service has it.
import type { AnsweredCall, AwaitingInput, DecidedCall, Decision } from '@runwright/contract'
import { plural } from '../../parts/values/plural.ts'
import type { Answer } from './decision-box.ts'

type CallDecision = 'approved' | 'denied' | 'changed' | 'failed' | 'given'

const decisionAbout = (call: AnsweredCall | DecidedCall): CallDecision => {
  if ('approve' in call && call.approve) return 'approved'
  if (call.deny !== undefined) return 'denied'
  if (call.error !== undefined) return 'failed'
  return call.arguments === undefined ? 'given' : 'changed'
}

interface Words {
  /** `Deny the call` */
  readonly doing: string
  /** `The call was denied.` */
  readonly done: string
}

const wordsOfCall: Readonly<Record<CallDecision, Words>> = {
  approved: { doing: 'Approve the call', done: 'The call was approved.' },
  denied: { doing: 'Deny the call', done: 'The call was denied.' },
  changed: { doing: 'Approve with other arguments', done: 'The call was approved with other arguments.' },
  failed: { doing: 'Say that the call failed', done: 'The run was told that the call failed.' },
  given: { doing: 'Give the result of the call', done: 'The run was given the result of the call.' },
}

/** In a list: `1 approved, 2 denied`. */
const listed: readonly (readonly [CallDecision, string])[] = [
  ['approved', 'approved'],
  ['changed', 'approved with other arguments'],
  ['denied', 'denied'],
  ['failed', 'failed'],
  ['given', 'answered with a result'],
]

const countsOf = (calls: readonly DecidedCall[]): string =>
  listed
    .map(([decision, word]) => [calls.filter((call) => decisionAbout(call) === decision).length, word] as const)
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(', ')

export const wordsOf = ({ action, call, calls }: Answer): Words => {
  if (calls) {
    const several = plural(calls.length, 'call')
    return { doing: `Decide about ${several}`, done: `${several} decided: ${countsOf(calls)}.` }
  }
  if (call) return wordsOfCall[decisionAbout(call)]
  if (action === 'approve') return { doing: 'Approve', done: 'Approved.' }
  if (action === 'reject') return { doing: 'Reject', done: 'Rejected.' }
  return { doing: 'Send your data', done: 'Your data was sent.' }
}

const contentOf = ({ action, payload, call, calls }: Decision): string =>
  JSON.stringify([action, payload ?? null, call ?? null, calls ?? null])

/** How many people have given the answer of this key, which is the latest if it is not known. */
export const countedWords = ({ approvals, decisions }: AwaitingInput, keyId: string | undefined): string => {
  const own = decisions.findLast(({ key_id }) => key_id === keyId) ?? decisions.at(-1)
  const same = decisions.filter((one) => own && contentOf(one) === contentOf(own)).length
  return `Counted: ${same} of ${approvals}.`
}
