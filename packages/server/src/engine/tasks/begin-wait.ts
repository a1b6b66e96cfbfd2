// Pauses a run until a person answers: writes the decision and the wait, and releases the worker and the lease.

import { escalatesTooLate } from '../../domain/plan/approval-rules.ts'
import { fillTemplates, type TemplateScope } from '../../domain/plan/fill-templates.ts'
import type { Wait } from '../../domain/run/next-move.ts'
import { awaitingInput, coordinationDecision, type Decision } from '../../runs/step-events.ts'
import { runSliced } from '../../runtime/time-slices.ts'
import type { NewEvent, RunChange } from '../../store/run-log/run-change.ts'
import type { ClaimedRun } from '../../store/run-log/run-claimer.ts'
import { plannedCall } from '../calls/planned-call.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { logFields } from '../context/log-fields.ts'
import { runOver, type Settled } from './settled.ts'

export function waitingState(run: ClaimedRun, wait: Wait): Pick<RunChange, 'trigger' | 'wait'> {
  return {
    trigger: 'await_input',
    wait: {
      key: wait.key,
      reasonCode: wait.reasonCode,
      inputKind: wait.inputKind,
      prompt: wait.prompt,
      call: wait.call,
      others: wait.others,
      rules: wait.rules,
      timeoutMs: run.signalTimeoutSeconds * 1000,
    },
  }
}

/** `said` is what the judge said, if it asked for the wait. */
export const waitEvents = (run: ClaimedRun, wait: Wait, said?: Decision['said']): NewEvent[] => [
  coordinationDecision(run.requestId, {
    decision: 'await_input',
    reasonCode: wait.inputKind === 'approval' ? 'approval_required' : 'input_required',
    role: 'judge',
    said,
  }),
  awaitingInput(run.requestId, wait),
]

export async function beginWait(context: ExecutionContext, wait: Wait): Promise<Settled> {
  const shown = { ...wait, ...(await runSliced(whatIsAsked(context, wait))) }
  const events = context.announcedWaits.has(wait.key)
    ? [awaitingInput(context.run.requestId, shown)]
    : waitEvents(context.run, shown)
  warnOfEscalation(context, shown)
  await context.ledger.apply({ ...waitingState(context.run, shown), events })
  return runOver
}

/** A rule of the operator's policy holds for runs of all classes, so only now it is known how long this one waits. */
function warnOfEscalation({ run, parts }: ExecutionContext, { rules, call }: Wait): void {
  if (!escalatesTooLate(rules, run.signalTimeoutSeconds)) return
  const late = {
    escalate_after_seconds: rules?.escalate_after_seconds,
    signal_timeout_seconds: run.signalTimeoutSeconds,
  }
  const fields = { ...logFields(run, parts.observer), ...(call && { tool: call.tool }), ...late }
  parts.logger.warn(fields, 'a question ends before its escalation')
}

function* whatIsAsked(context: ExecutionContext, wait: Wait): Generator<void, Pick<Wait, 'prompt' | 'call' | 'rules'>> {
  const { prompt, before } = wait
  const scope = context.inputs.templateScope()
  return {
    // The payload of an approval can be part of the instruction that it approves, and is not known yet.
    prompt: prompt === null ? null : fillPrompt(prompt, before ? { ...scope, signal: undefined } : scope),
    ...(before?.step.kind === 'tool' && (yield* plannedCall(context, before.key, before.step))),
  }
}

/** A prompt that cannot be filled in is shown as written, so the wait can still be answered. */
function fillPrompt(prompt: string, scope: TemplateScope): string {
  const filled = fillTemplates(prompt, scope)
  return filled.ok ? String(filled.value) : prompt
}
