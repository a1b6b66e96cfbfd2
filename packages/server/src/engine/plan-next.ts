// Executes a planner step: its plan becomes the one in force.
import { makePlan } from '../agents/planner.ts'
import { journalEntry, plannerStepId } from '../domain/run/journal.ts'
import type { NextMove, Task } from '../domain/run/progress.ts'
import { contentDelta, coordinationDecision, stepDone } from '../lifecycle/step-events.ts'
import { throwIfAborted } from './abort-reason.ts'
import { DeltaStream } from './delta-stream.ts'
import type { ExecutionContext } from './execution-context.ts'
import { plannerTask } from './planner-task.ts'
import { settleTask } from './settle-task.ts'
import type { Settled } from './task-end.ts'
import { taskCompleted } from './token-usage.ts'

type PlanMove = Extract<NextMove, { move: 'plan' }>
type TimeStep = (seconds?: number) => () => void

export async function planNext(context: ExecutionContext, move: PlanMove, timeStep: TimeStep): Promise<Settled> {
  const stopTiming = timeStep()
  const task = plannerTask(move)
  const of = context.stepOf(move.key)
  const deltas = new DeltaStream({
    enabled: context.run.streaming,
    safeLength: context.safeLength,
    send: async (text) => void (await context.ledger.apply({ events: [contentDelta(of, text)] })),
  })
  try {
    return await plan(context, move, task, deltas)
  } finally {
    stopTiming()
    await deltas.discard()
  }
}

async function plan(context: ExecutionContext, move: PlanMove, task: Task, deltas: DeltaStream): Promise<Settled> {
  const { ledger, run, signal } = context
  if (ledger.tokens >= run.tokenLimit)
    return settleTask(context, { end: 'over_ceiling', task, usage: [] }, { alone: true })
  const budget = await context.spentBudget()
  if (budget) return settleTask(context, { end: 'over_ceiling', task, usage: [], budget }, { alone: true })
  const outcome = await makePlan(context.models.planner, context.promptContext, {
    recall: context.recall,
    signal,
    maxOutputTokens: context.tokensLeft,
    onText: (text) => deltas.write(text),
    rehearsal: context.rehearsal({
      agentStep: move.agentStep,
      failures: ledger.progress.failuresOf(move.key).total,
      turn: 0,
      isLast: false,
    }),
  })
  const usage = context.consumed(outcome.tokens)
  if (outcome.kind === 'aborted') {
    for (const record of usage) ledger.owe(record)
    throwIfAborted(signal)
  }
  ledger.spend(usage)
  if (ledger.tokens > run.tokenLimit) {
    return settleTask(context, { end: 'over_ceiling', task, usage }, { alone: true })
  }
  const rest = await deltas.end()
  if (outcome.kind !== 'planned') {
    const failure =
      outcome.kind === 'failure'
        ? outcome
        : { reasonCode: 'provider_error', message: 'the planner stopped by itself', retryable: true }
    const { reasonCode, message, retryable } = failure
    return settleTask(
      context,
      { end: 'failed', task, reasonCode, message, retryable, content: outcome.text, rest, usage },
      { alone: true },
    )
  }
  const of = context.stepOf(move.key)
  await ledger.record({
    resetsRecoveries: true,
    events: [
      ...(rest === '' ? [] : [contentDelta(of, rest)]),
      stepDone(of, { content: outcome.text, outcome: 'succeeded' }),
      coordinationDecision(run.requestId, { decision: 'continue', reasonCode: 'plan_ready', role: 'planner' }),
    ],
    journal: [
      journalEntry('done', move.key, {
        stepId: plannerStepId,
        kind: 'planner',
        content: outcome.text,
        output: null,
        redacted: false,
        order: ledger.progress.done.size,
      }),
      journalEntry('plan', String(move.generation), outcome.wire),
    ],
    usage: [...usage, taskCompleted(move.key)],
  })
  return 'go on'
}
