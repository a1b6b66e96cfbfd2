// What a person has decided about a call before it started: not to make it, to make it with other arguments, or what
// its result is. Edited arguments are those of a new call: tags, the schema of the tool and policy are applied again.
//
//   the question about these arguments has no answer  -> policy decides about the call as it is now
//   denied, or a result                               -> the call ends without being made
//   edited                                            -> the same with the new arguments
//
// Once the call has started, the journal has its arguments, and only those count.
import type { AnsweredCall, ApprovalRules } from '@runwright/contract'
import type { JournaledCall } from '../../domain/run/journal.ts'
import { askKey } from '../../domain/run/wait-keys.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { argumentsHash } from './asked-call.ts'
import { editArguments, isSmuggled } from './edited-arguments.ts'
import type { SeenResult } from './secret-calls.ts'

export interface DecidedCall {
  /** As it is to be made. */
  readonly call: JournaledCall
  /** Its arguments are a person's. */
  readonly isEdited: boolean
  /** It ends with this, without being made. */
  readonly end?: SeenResult
  /** What the person who chose these arguments was asked. */
  readonly approved?: Approved | undefined
}

export interface Approved {
  readonly why: string
  readonly rules: ApprovalRules | undefined
}

/** `planned` is the answer to the approval before the step, if it is the call of a step. */
export function decideCall(context: ExecutionContext, original: JournaledCall, planned?: PlannedAnswer): DecidedCall {
  const begun = context.ledger.progress.turns.startedCalls.get(original.callId)
  if (begun) {
    if (begun.edited === undefined) return { call: original, isEdited: false }
    return { call: { ...original, input: begun.edited, byClient: undefined }, isEdited: true }
  }
  return followAnswers(context, original, planned)
}

/** What was answered, and what was asked. */
export interface PlannedAnswer {
  readonly call: AnsweredCall
  readonly why?: string | undefined
  readonly rules?: ApprovalRules | undefined
}

function followAnswers(context: ExecutionContext, original: JournaledCall, planned?: PlannedAnswer): DecidedCall {
  const { answers } = context.ledger.progress
  const seen = new Set<string>()
  let [call, isEdited, approved]: [JournaledCall, boolean, Approved | undefined] = [original, false, undefined]
  for (let answer = planned; ; answer = undefined) {
    const hash = argumentsHash(call)
    const given = answers.to(askKey(call.callId, hash))
    const asked = { why: given?.asked?.call?.why, rules: given?.asked?.rules ?? undefined }
    const said: PlannedAnswer | undefined = answer ?? (given?.call ? { ...asked, call: given.call } : undefined)
    if (!said || seen.has(hash)) return { call, isEdited, approved }
    if (!answer) seen.add(hash)
    const end = endOf(said.call)
    if (end) return { call, isEdited, end }
    const edited = editArguments(context.run.secrets, call, said.call.arguments)
    if (!edited) return { call, isEdited, end: unclear(call) }
    if (isSmuggled(context.run.secrets, call, edited)) return { call, isEdited, end: smuggled(call) }
    approved = { why: said.why ?? '', rules: said.rules }
    isEdited ||= argumentsHash(edited) !== hash
    call = isEdited ? { ...edited, byClient: undefined } : call
  }
}

/** Whether a person has decided about the call as the model has asked for it. */
export const isAnswered = ({ ledger }: ExecutionContext, original: JournaledCall): boolean =>
  ledger.progress.answers.to(askKey(original.callId, argumentsHash(original))) !== undefined

/** The call as people want it, also once it has started. Undefined: they have decided that it is not made. */
export function wantedCall(context: ExecutionContext, original: JournaledCall): JournaledCall | undefined {
  const { call, end } = followAnswers(context, original)
  return end ? undefined : call
}

/** Undefined: the person has chosen arguments. */
export function endOf(said: AnsweredCall): SeenResult | undefined {
  if (said.deny !== undefined) return denied(`A person did not allow this call: ${said.deny}`)
  if (Object.hasOwn(said, 'result')) return { outcome: 'succeeded', output: said.result }
  return said.error === undefined ? undefined : { outcome: 'failed', message: said.error }
}

export const denied = (message: string): SeenResult => ({
  outcome: 'policy_denied',
  reasonCode: 'denied_by_person',
  message,
})

const notAllowed = (message: string): SeenResult => ({
  outcome: 'policy_denied',
  reasonCode: 'edit_not_allowed',
  message: `${message} The call was not made.`,
})

const smuggled = ({ name }: JournaledCall): SeenResult =>
  notAllowed(`A person changed the arguments of ${name}, and put a sensitive value where the call had none.`)

const unclear = ({ name }: JournaledCall): SeenResult =>
  notAllowed(`A person changed the arguments of ${name}, and it is not clear where its sensitive values belong.`)
