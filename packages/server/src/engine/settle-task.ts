// What follows from the end of a task: one change with its end, the judge's decision, and what that does to the run.
import { judgeStep, type Verdict, verdictByRule } from '../agents/judge.ts'
import { journalEntry, type TaskKey } from '../domain/run/journal.ts'
import { afterKey, type Task, type Wait } from '../domain/run/progress.ts'
import { contentDelta, coordinationDecision, limitExceeded, stepDone } from '../lifecycle/step-events.ts'
import { workerTransition } from '../lifecycle/transition-events.ts'
import type { NewEvent } from '../store/run-log/run-change.ts'
import { waitEvents, waitingState } from './begin-wait.ts'
import type { ExecutionContext } from './execution-context.ts'
import { runEpisode } from './run-episode.ts'
import type { LedgerChange } from './run-ledger.ts'
import type { OverCeiling, PersonAsked, Settled, TaskEnd, TaskFailed, TaskSucceeded } from './task-end.ts'
import { taskCompleted } from './token-usage.ts'

interface Circumstances {
  /** Nothing else of the run is executing. */
  readonly alone: boolean
  /** What is executing beside it. */
  readonly beside?: readonly TaskKey[]
}

export function settleTask(context: ExecutionContext, end: TaskEnd, circumstances: Circumstances): Promise<Settled> {
  if (end.end === 'succeeded') return settleSuccess(context, end, circumstances)
  if (end.end === 'failed') return settleFailure(context, end)
  if (end.end === 'over_ceiling') return endOverCeiling(context, end)
  return askPerson(context, end, circumstances)
}

async function settleSuccess(
  context: ExecutionContext,
  end: TaskSucceeded,
  circumstances: Circumstances,
): Promise<Settled> {
  const verdict = await verdictOn(context, end.task, circumstances)
  const after = circumstances.alone
    ? changeAfter(context, end, verdict)
    : changeBeside(context, end, { verdict, beside: circumstances.beside ?? [] })
  const change: LedgerChange = {
    ...after.change,
    resetsRecoveries: true,
    events: [
      ...endEvents(context, end, { content: end.content, outcome: 'succeeded' }),
      ...(after.change.events ?? []),
    ],
    journal: [doneEntry(context, end), ...(after.change.journal ?? [])],
    usage: [...end.usage, ...context.consumed(verdict.tokens), taskCompleted(end.task.key)],
  }
  if (after.settled === 'go on') await context.ledger.record(change)
  else await context.ledger.apply(change)
  return after.settled
}

async function verdictOn(context: ExecutionContext, task: Task, { alone }: Circumstances): Promise<Verdict> {
  if (context.ledger.progress.isStopping) return verdictByRule(alone)
  // A step of a plan that is no longer in force: what comes next is not for it to say.
  return context.ledger.progress.isCurrent(task.key) ? judge(context, task) : verdictByRule(false)
}

/** Agent steps are judged by the judge's model; a tool step leaves nothing to judge. */
async function judge(context: ExecutionContext, task: Task): Promise<Verdict> {
  const isLast = context.ledger.progress.isLast(task.key)
  if (task.step.kind === 'tool') return verdictByRule(isLast ?? true)
  const { models, promptContext, signal, tokensLeft } = context
  const rehearsal = context.rehearsal({ agentStep: task.agentStep, failures: 0, turn: 0, isLast })
  const verdict = await judgeStep(models.judge, promptContext, { signal, maxOutputTokens: tokensLeft, rehearsal })
  // There is no next step to go on with.
  return verdict.decision === 'continue' && isLast ? { ...verdict, decision: 'stop' } : verdict
}

const doneEntry = ({ ledger }: ExecutionContext, { task, content, output, redacted }: TaskSucceeded) =>
  journalEntry('done', task.key, {
    stepId: task.stepId,
    kind: task.step.kind,
    content,
    output,
    redacted,
    order: ledger.progress.done.size,
  })

function endEvents(
  context: ExecutionContext,
  end: TaskSucceeded | TaskFailed,
  done: Parameters<typeof stepDone>[1],
): NewEvent[] {
  const of = context.stepOf(end.task.key)
  const ended = { ...stepDone(of, done), redacted: end.redacted === true }
  return [...(end.rest === '' ? [] : [contentDelta(of, end.rest)]), ended]
}

interface After {
  readonly change: LedgerChange
  readonly settled: Settled
}

function changeAfter(context: ExecutionContext, end: TaskSucceeded, verdict: Verdict): After {
  const { requestId } = context.run
  const { decision, reason } = verdict
  if (decision === 'await_input') return awaitAfter(context, end.task, verdict)
  if (decision === 'stop') {
    return {
      change: {
        ...successChange(context, { content: end.content, output: end.output, redacted: end.redacted }, reason),
        memory: runEpisode(context, end),
      },
      settled: 'run is over',
    }
  }
  if (decision === 'replan') {
    const generation = String(context.ledger.progress.generation + 1)
    const events = [
      coordinationDecision(requestId, { decision, reasonCode: 'replan_requested', role: 'judge', reason }),
    ]
    return { change: { events, journal: [journalEntry('replan', generation, {})] }, settled: 'go on' }
  }
  return {
    change: { events: [coordinationDecision(requestId, { decision, reasonCode: 'step_done', role: 'judge', reason })] },
    settled: 'go on',
  }
}

interface Beside {
  readonly verdict: Verdict
  readonly beside: readonly TaskKey[]
}

/** While others are executing, the step's end and the decision are put down, and what follows waits for the others. */
function changeBeside(context: ExecutionContext, end: TaskSucceeded, { verdict, beside }: Beside): After {
  const { requestId } = context.run
  if (verdict.decision === 'stop') {
    const stop = coordinationDecision(requestId, {
      decision: 'stop',
      reasonCode: 'all_done',
      role: 'judge',
      reason: verdict.reason,
    })
    const journal = [journalEntry('stop', end.task.key, { executing: beside })]
    return { change: { events: [stop], journal }, settled: 'go on' }
  }
  if (verdict.decision !== 'await_input') return changeAfter(context, end, verdict)
  const { change } = awaitAfter(context, end.task, verdict)
  context.announcedWaits.add(afterKey(end.task.key))
  return { change: { events: (change.events ?? []).slice(0, 1), journal: change.journal ?? [] }, settled: 'go on' }
}

function awaitAfter(context: ExecutionContext, task: Task, verdict: Verdict): After {
  const asked = verdict.await ?? { reasonCode: 'input_required', inputKind: null, prompt: null }
  const wait: Wait = { key: afterKey(task.key), ...asked }
  return {
    change: {
      ...waitingState(context, wait),
      events: waitEvents(context, wait, verdict.reason),
      journal: [journalEntry('await', task.key, { ...asked, isLast: verdict.isLast })],
    },
    settled: 'run is over',
  }
}

interface Result {
  readonly content: string
  readonly output: unknown
  readonly redacted: boolean
}

function successChange(
  { run }: ExecutionContext,
  { content, output, redacted }: Result,
  reason?: string,
): LedgerChange {
  const { requestId } = run
  return {
    trigger: 'succeed',
    events: [
      coordinationDecision(requestId, {
        decision: 'stop',
        reasonCode: 'all_done',
        role: 'judge',
        ...(reason !== undefined && { reason }),
      }),
      workerTransition('succeed', { requestId, reasonCode: null }),
    ],
    result: { redacted, value: { content, output } },
  }
}

/** Nothing is left to do, and no step has just ended: the last one was a gate, or a person was asked after it. */
export async function finishRun(context: ExecutionContext): Promise<Settled> {
  const finished = context.ledger.progress.finished.filter(({ kind }) => kind !== 'planner')
  const { content, output, redacted } = finished.at(-1) ?? { content: '', output: null, redacted: false }
  const change = successChange(context, { content, output, redacted })
  await context.ledger.apply({ ...change, memory: runEpisode(context) })
  return 'run is over'
}

async function settleFailure(context: ExecutionContext, end: TaskFailed): Promise<Settled> {
  const { task, reasonCode } = end
  const { total, inAttempt } = context.ledger.progress.failuresOf(task.key)
  const triesAgain = end.retryable && inAttempt + 1 < task.step.maxAttempts
  const journal = [journalEntry('fail', `${task.key}:${total}`, { attempt: context.run.attempt })]
  const done = {
    content: end.content,
    outcome: triesAgain ? 'retry_step' : 'fail_run',
    reasonCode,
    providerMessage: end.message,
  } as const
  const events = endEvents(context, end, done)
  const { requestId } = context.run
  if (triesAgain) {
    const decision = coordinationDecision(requestId, { decision: 'continue', reasonCode: 'retry_step', role: 'judge' })
    await context.ledger.apply({ events: [...events, decision], journal, usage: end.usage })
    return 'go on'
  }
  const stop = coordinationDecision(requestId, { decision: 'stop', reasonCode: 'step_failed', role: 'judge' })
  const failed = workerTransition('fail', { requestId, reasonCode })
  await context.ledger.apply({
    trigger: 'fail',
    events: [...events, stop, failed],
    journal,
    usage: end.usage,
  })
  return 'run is over'
}

/** The completion that crosses the ceiling is metered; its step gets no end. */
export async function endOverCeiling(
  context: ExecutionContext,
  { usage, budget }: Pick<OverCeiling, 'usage' | 'budget'>,
): Promise<Settled> {
  const ceiling = { currentValue: context.ledger.tokens, threshold: context.run.tokenLimit }
  const limit = { limitType: 'cost_ceiling', ...(budget ?? ceiling) } as const
  await context.ledger.apply({ trigger: 'exceed_limit', events: [limitExceeded(limit)], usage })
  return 'run is over'
}

async function askPerson(context: ExecutionContext, { wait }: PersonAsked, { alone }: Circumstances): Promise<Settled> {
  if (!alone) return 'needs to be alone'
  await context.ledger.apply({ ...waitingState(context, wait), events: waitEvents(context, wait) })
  return 'run is over'
}
