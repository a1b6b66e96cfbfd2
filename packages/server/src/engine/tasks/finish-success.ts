// Settles a step that succeeded: the judge decides, and the decision is written together with the step's end.
//
//   continue     the next step; without a plan the judge's reason is its instruction, up to a limit of steps
//   replan       a planner step, up to a limit of plans
//   await_input  the run waits for a person
//   stop         the run succeeds, or fails when the judge says that the goal was not reached. What the plan does not
//                do without happens first
import { journalEntry, type TaskKey } from '../../domain/run/journal.ts'
import type { Wait } from '../../domain/run/next-move.ts'
import { afterKey } from '../../domain/run/wait-keys.ts'
import type { SpentBudget } from '../../runs/budget-guard.ts'
import { coordinationDecision } from '../../runs/step-events.ts'
import { workerTransition } from '../../runs/transition-events.ts'
import { runSliced } from '../../runtime/time-slices.ts'
import type { NewUsage } from '../../store/run-log/run-change.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import type { LedgerChange } from '../ledger/run-ledger.ts'
import { taskCompleted } from '../ledger/token-usage.ts'
import { waitEvents, waitingState } from './begin-wait.ts'
import { endEvents } from './end-events.ts'
import { isJudged, isReplayFailure, type Judgement, judgeStep, type Verdict, verdictByRule } from './judge-step.ts'
import { runEpisode } from './run-episode.ts'
import type { Settled, TaskSucceeded } from './task-end.ts'

interface Around {
  readonly alone: boolean
  readonly beside?: readonly TaskKey[]
}

interface Overspent {
  readonly usage: readonly NewUsage[]
  readonly budget?: SpentBudget
}

export async function finishSuccess(
  context: ExecutionContext,
  end: TaskSucceeded,
  around: Around,
): Promise<Settled | Overspent> {
  const judgement = await judge(context, end, around)
  if (judgement.kind === 'parked') return { parkedUntilMs: judgement.dueAtMs }
  if (judgement.kind === 'over_ceiling') return judgement
  const beside = around.beside ?? []
  const limited = withinLimits(context, end, judgement.verdict)
  const verdict = withNote(withPlan(context, end, { verdict: limited, beside }), end)
  const failure = stepFailure(verdict)
  if (failure !== undefined) return failStep(context, end, { ...verdict, failure })
  const decided = { verdict, beside }
  const after = around.alone ? changeAfter(context, end, decided) : changeBeside(context, end, decided)
  const change: LedgerChange = {
    ...after.change,
    ...(after.hasEpisode && { memory: await runSliced(runEpisode(context, end)) }),
    resetsRecoveries: true,
    events: [
      ...endEvents(context, end, { content: end.content, outcome: 'succeeded' }),
      ...(after.change.events ?? []),
    ],
    journal: [
      doneEntry(context, end, verdict),
      ...(verdict.required ? [stopEntry(context, end, decided)] : []),
      ...(after.change.journal ?? []),
    ],
    usage: [...end.usage, ...verdict.usage, taskCompleted(end.task.key)],
  }
  if (after.settled === 'go on') await context.ledger.record(change)
  else await context.ledger.apply(change)
  return after.settled
}

/** If the judge rejects the work or cannot be asked, the step fails. A retry of the run repeats it. */
const stepFailure = ({ failure }: LimitedVerdict): string | undefined =>
  failure === undefined || failure === 'step_limit' ? undefined : failure

async function failStep(
  context: ExecutionContext,
  end: TaskSucceeded,
  verdict: LimitedVerdict & { readonly failure: string },
): Promise<Settled> {
  const { failure: reasonCode } = verdict
  const { attempt, requestId } = context.run
  const { total } = context.ledger.progress.failuresOf(end.task.key)
  // If the judge is unavailable, the answer is not known to be bad: a retry judges it again and keeps it.
  const isReplay = isReplayFailure(reasonCode)
  const isBad = reasonCode !== 'judge_unavailable' && !isReplay && end.evidence !== undefined
  const kept = isBad ? { keptTurns: end.evidence.keptTurns } : {}
  const fail = { attempt, ...kept, ...(isReplay && { message: verdict.reason }) }
  await context.ledger.apply({
    trigger: 'fail',
    events: [
      ...endEvents(context, end, { content: end.content, outcome: 'fail_run', reasonCode }),
      decisionOf(context, { ...verdict, reasonCode }),
      workerTransition('fail', { requestId, reasonCode }),
    ],
    journal: [journalEntry('fail', `${end.task.key}:${total}`, fail)],
    usage: [...end.usage, ...verdict.usage],
  })
  return 'run is over'
}

/**
 * A model judges agent steps. The rule judges tool steps, steps of an outdated plan, and those that an agent exempts.
 */
async function judge(context: ExecutionContext, end: TaskSucceeded, { alone }: Around): Promise<Judgement> {
  const { progress } = context.ledger
  const { task } = end
  if (progress.isStopping) return { kind: 'verdict', verdict: lastVerdict(context, progress.isLast(task.key) ?? alone) }
  // A step of an outdated plan does not decide what comes next.
  if (!progress.isCurrent(task.key)) return byRule(false)
  if (!isJudged(context, task)) return byRule(progress.isLast(task.key) ?? true)
  return judgeStep(context, end)
}

const byRule = (isLast: boolean): Judgement => ({ kind: 'verdict', verdict: verdictByRule(isLast) })

/** A judge that never stops is stopped by a limit, always as a failure and never as a success. */
function withinLimits(context: ExecutionContext, { task }: TaskSucceeded, verdict: Verdict): LimitedVerdict {
  const { progress } = context.ledger
  // A script ends by itself.
  if (context.models.judge[0]?.readsPrompt === false) return verdict
  const { maxReplans, maxSteps } = context.parts.limits
  if (verdict.decision === 'replan' && progress.replans >= maxReplans) return stopped(verdict, 'replan_limit')
  const isUnplanned = !task.planned && progress.plan === undefined
  if (verdict.decision === 'continue' && isUnplanned && progress.unplannedSteps + 1 >= maxSteps) {
    return stopped(verdict, 'step_limit')
  }
  return verdict
}

type LimitedVerdict = Omit<Verdict, 'failure'> & {
  readonly failure?: string
  /** The judge has said stop: of the steps that are left, only these still start. Absent: all of them. */
  readonly required?: readonly TaskKey[]
}

interface Decided {
  readonly verdict: LimitedVerdict
  /** The other tasks that are executing or sleeping. */
  readonly beside: readonly TaskKey[]
}

/** A plan is a contract: it goes on although the judge sees the goal reached, as far as people rely on its steps. */
function withPlan(context: ExecutionContext, { task }: TaskSucceeded, { verdict, beside }: Decided): LimitedVerdict {
  if (verdict.said?.decision !== 'stop' || verdict.failure !== undefined) return verdict
  const { required, skips } = context.ledger.progress.afterStop(task.key, beside)
  if (required.length === 0) return skips ? { ...verdict, reasonCode: 'steps_skipped' } : verdict
  return { ...verdict, decision: 'continue', reasonCode: 'plan_goes_on', ...(skips && { required }) }
}

/** The end of a run in which the judge has said stop before. */
const lastVerdict = ({ ledger: { progress } }: ExecutionContext, isLast: boolean): Verdict => {
  const verdict = verdictByRule(isLast)
  return isLast && progress.hasSkipped ? { ...verdict, reasonCode: 'steps_skipped' } : verdict
}

function stopEntry(context: ExecutionContext, { task }: TaskSucceeded, { verdict, beside: executing }: Decided) {
  const { generation } = context.ledger.progress
  return journalEntry('stop', task.key, {
    executing,
    ...(verdict.required && { required: verdict.required }),
    generation,
  })
}

const stopped = (verdict: Verdict, failure: 'replan_limit' | 'step_limit'): LimitedVerdict => ({
  ...verdict,
  decision: 'stop',
  reasonCode: failure,
  failure,
})

/** Where the judge is overruled, the reason code says why. */
function withNote(verdict: LimitedVerdict, { note }: TaskSucceeded): LimitedVerdict {
  const { decision, said, failure } = verdict
  const isAsSaid = said === undefined || said.decision === decision
  const isTold = (decision === 'continue' || decision === 'stop') && isAsSaid && !failure
  return note !== undefined && isTold ? { ...verdict, reasonCode: note } : verdict
}

const doneEntry = (
  { ledger }: ExecutionContext,
  { task, content, output, redacted }: TaskSucceeded,
  { judgedBy }: LimitedVerdict,
) =>
  journalEntry('done', task.key, {
    stepId: task.stepId,
    kind: task.step.kind,
    content,
    output,
    redacted,
    order: ledger.progress.done.size,
    ...(judgedBy && { judgedBy }),
  })

interface After {
  readonly change: LedgerChange
  readonly settled: 'go on' | 'run is over'
  /** The run has succeeded, and is remembered. */
  readonly hasEpisode?: true
}

function changeAfter(context: ExecutionContext, end: TaskSucceeded, { verdict, beside }: Decided): After {
  if (verdict.decision === 'await_input') return awaitAfter(context, end, verdict)
  if (verdict.decision === 'stop') return stopAfter(context, end, verdict)
  const decision = decisionOf(context, verdict)
  if (verdict.decision === 'replan') {
    const generation = String(context.ledger.progress.generation + 1)
    const reason = verdict.reason !== '' && { reason: verdict.reason }
    const replan = journalEntry('replan', generation, { ...reason, ...(beside.length > 0 && { begun: beside }) })
    return { change: { events: [decision], journal: [replan] }, settled: 'go on' }
  }
  return { change: { events: [decision], journal: nextInstruction(end, verdict) }, settled: 'go on' }
}

/** Without a plan the judge's reason is the instruction of the next step. */
function nextInstruction({ task }: TaskSucceeded, { said, reason }: LimitedVerdict) {
  if (task.planned || said === undefined || reason === '') return []
  return [journalEntry('next', task.key, { instruction: reason })]
}

const decisionOf = ({ run }: ExecutionContext, { decision, reasonCode, said }: LimitedVerdict) =>
  coordinationDecision(run.requestId, { decision, reasonCode, role: 'judge', said })

function stopAfter(context: ExecutionContext, end: TaskSucceeded, verdict: LimitedVerdict): After {
  if (verdict.failure !== undefined) {
    const failed = workerTransition('fail', { requestId: context.run.requestId, reasonCode: verdict.failure })
    const events = [decisionOf(context, verdict), failed]
    return { change: { trigger: 'fail', events, journal: nextInstruction(end, verdict) }, settled: 'run is over' }
  }
  const { content, output, redacted } = end
  const change = successChange(context, { content, output, redacted }, verdict)
  return { change, settled: 'run is over', hasEpisode: true }
}

/** While other tasks are executing, the step's end and the decision are written; acting on it waits for the others. */
function changeBeside(context: ExecutionContext, end: TaskSucceeded, decided: Decided): After {
  const { verdict } = decided
  if (verdict.decision === 'stop' && verdict.failure === undefined) {
    return {
      change: { events: [decisionOf(context, verdict)], journal: [stopEntry(context, end, decided)] },
      settled: 'go on',
    }
  }
  if (verdict.decision !== 'await_input') return changeAfter(context, end, decided)
  const { change } = awaitAfter(context, end, verdict)
  context.announcedWaits.add(afterKey(end.task.key))
  return { change: { events: (change.events ?? []).slice(0, 1), journal: change.journal ?? [] }, settled: 'go on' }
}

function awaitAfter(context: ExecutionContext, { task }: TaskSucceeded, verdict: LimitedVerdict): After {
  const asked = verdict.question ?? { reasonCode: 'input_required', inputKind: null, prompt: verdict.reason || null }
  const wait: Wait = { key: afterKey(task.key), ...asked }
  return {
    change: {
      ...waitingState(context, wait),
      events: waitEvents(context, wait, verdict.said),
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

export function successChange(
  context: ExecutionContext,
  { content, output, redacted }: Result,
  verdict: LimitedVerdict = lastVerdict(context, true),
): LedgerChange {
  const { requestId } = context.run
  return {
    trigger: 'succeed',
    events: [decisionOf(context, verdict), workerTransition('succeed', { requestId, reasonCode: null })],
    result: { redacted, value: { content, output } },
  }
}
