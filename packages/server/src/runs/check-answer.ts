// Checks an answer against the question that it is for: what it decides about a call, and the schemas of the payload
// and of edited arguments. The worker checks edited arguments again: the tool may be another one by then.
import type { AnsweredCall, DecidedCall } from '@runwright/contract'
import { describeSchemaErrors } from '../domain/json/describe-schema-errors.ts'
import { isSchemaProblem, readOutputSchema } from '../domain/json/output-schema.ts'
import { describeSchemaProblem } from '../domain/json/schema-to-compile.ts'
import { findTemplate } from '../domain/plan/template.ts'
import type { AskedCall } from '../domain/run/asked-call.ts'
import { ServiceError } from '../domain/service-error.ts'
import { describeSchemaEnd } from '../runtime/schemas/describe-schema-end.ts'
import type { SchemaThreads } from '../runtime/schemas/schema-threads.ts'
import type { Database } from '../store/postgres/database.ts'
import { findWaits, type WaitRecord } from '../store/runs/run-parts.ts'
import type { SignalTarget } from '../store/runs/signals.ts'
import { errorsBesideMasks } from './errors-beside-masks.ts'

interface Answer {
  readonly customerId: string
  readonly runId: string
  readonly payload: unknown
  readonly call: AnsweredCall | undefined
  readonly calls: readonly DecidedCall[] | undefined
  /** One person is enough for it, and it needs no payload. */
  readonly isNo: boolean
}

interface Checking {
  readonly database: Database
  readonly schemas: Pick<SchemaThreads, 'check'>
}

/** Throws `SIGNAL_PAYLOAD_INVALID`. */
export async function checkAnswer(checking: Checking, answer: Answer, target: SignalTarget): Promise<void> {
  const decisions = decisionsIn(answer, target)
  for (const decision of decisions) checkDecision(decision, target)
  if (decisions.length > 0 && answer.payload !== undefined && !target.hasSchema)
    throw invalid('call and calls exclude payload, unless the question has an approval_schema.')
  const edits = decisions.filter((decision) => decision.arguments !== undefined)
  const needsForm = target.hasSchema && !answer.isNo
  if (!needsForm && edits.length === 0) return
  const wait = (await findWaits(checking.database, answer.customerId, [answer.runId])).get(answer.runId)
  // Answered meanwhile: the log refuses this answer.
  if (wait?.seq !== target.seq || !wait) return
  if (needsForm) await checkPayload(checking, answer, wait)
  for (const edit of edits) await checkArguments(checking, answer, { edit, wait })
}

type Decision = Omit<DecidedCall, 'call_id'> & { readonly call_id: string | undefined }

function decisionsIn({ call, calls }: Answer, { callIds, reasonCode }: SignalTarget): readonly Decision[] {
  const decisions = calls ?? (call ? [{ ...call, call_id: callIds[0] }] : [])
  if (decisions.length > 0 && callIds.length === 0 && reasonCode !== 'tool_outcome_unknown')
    throw invalid('call and calls are only for a run that waits about a tool call; send approve, reject or a payload.')
  const unknown = decisions.find(({ call_id }) => call_id !== undefined && !callIds.includes(call_id))
  if (unknown) throw invalid(`calls: the question is not about a call ${JSON.stringify(unknown.call_id)}.`)
  return decisions
}

function checkDecision({ arguments: edited, error }: Decision, { reasonCode }: SignalTarget): void {
  const isUnknown = reasonCode === 'tool_outcome_unknown'
  if (error !== undefined && !isUnknown)
    throw invalid(
      'call.error is only for a run that waits with tool_outcome_unknown; to prevent a call, use call.deny.',
    )
  if (edited !== undefined && isUnknown)
    throw invalid(
      'call.arguments is not for a call that may have been made; approve it as it is, or say its result, error or deny.',
    )
}

async function checkPayload(checking: Checking, answer: Answer, { rules }: WaitRecord): Promise<void> {
  const { payload = null, customerId } = answer
  const errors = await errorsOf(checking, { schema: rules.approval_schema, value: payload, customerId })
  if (typeof errors === 'string')
    throw invalid(`The approval_schema of this question cannot be used, so it can only be rejected: ${errors}.`)
  if (errors.length > 0) throw invalid(`payload does not match the approval_schema: ${describeSchemaErrors(errors)}.`)
}

interface EditOf {
  readonly edit: Decision
  readonly wait: WaitRecord
}

/** What the question masks is not checked here: the worker knows the values. */
async function checkArguments(checking: Checking, { customerId }: Answer, { edit, wait }: EditOf): Promise<void> {
  const asked = [wait.call, ...wait.others].find((call): call is AskedCall => call?.callId === edit.call_id)
  if (asked?.argumentsHash === null) refuseTemplates(edit.arguments)
  const errors = await errorsOf(checking, { schema: asked?.schema, value: edit.arguments, customerId })
  // Such a tool checks its input itself.
  if (typeof errors === 'string') return
  const real = errorsBesideMasks(errors, edit.arguments, asked?.arguments)
  if (real.length > 0)
    throw invalid(`call.arguments does not match the schema of ${asked?.tool}: ${describeSchemaErrors(real)}.`)
}

/** The question shows the arguments as the plan has them, with its templates. */
function refuseTemplates(edited: unknown): void {
  const template = findTemplate(edited)
  if (template === undefined) return
  throw invalid(
    `call.arguments contains ${template}. Templates are not filled in there: write the value, or approve with a payload.`,
  )
}

interface Checked {
  readonly schema: Readonly<Record<string, unknown>> | undefined
  readonly value: unknown
  readonly customerId: string
}

/** Empty if there is no schema. A text says why the schema cannot be used here. */
async function errorsOf({ schemas }: Checking, { schema, value, customerId }: Checked) {
  const read = schema && readOutputSchema(schema)
  if (read === undefined) return []
  if (isSchemaProblem(read)) return describeSchemaProblem(['schema'], read)
  const outcome = await schemas.check({ kind: 'output', schema: read.text }, value, { customerId })
  if ('errors' in outcome) return outcome.errors
  if ('problem' in outcome) return outcome.problem
  throw new ServiceError('OVERLOADED', `The answer cannot be checked now: ${describeSchemaEnd(outcome.ended)}.`, 1)
}

const invalid = (message: string): ServiceError => new ServiceError('SIGNAL_PAYLOAD_INVALID', message)
