// Settles a step that succeeded. The verdict about it passes through stages, and what is left of it is written together
// with the end of the step:
//
//   graded        against the rubrics of the step; the answer may be revised, and the step is executed again
//   judged        by a model or by the rule; the step may be parked or cross the ceiling here
//   withinLimits  a judge that never stops is stopped
//   boundByPlan   a plan goes on as far as people rely on its steps
//   withNote      the reason code says how the step ended
//   written       rejected work fails the run, anything else ends the step
import { journalEntry } from '../../domain/run/journal.ts'
import { workerTransition } from '../../runs/transition-events.ts'
import { runSliced } from '../../runtime/time-slices.ts'
import { rubricsOf } from '../context/step-rubrics.ts'
import type { LedgerChange } from '../ledger/run-ledger.ts'
import { taskCompleted } from '../ledger/token-usage.ts'
import { endEvents } from './end-events.ts'
import { endOverCeiling } from './finish-run.ts'
import { type GradedStep, gradeStep, reviseAnswer } from './grade-stage.ts'
import { isReplayFailure, type Verdict } from './judge-step.ts'
import { runEpisode } from './run-episode.ts'
import { goOn, runOver, type Settled } from './settled.ts'
import { decisionOf, stopEntry, verdictChange } from './verdict-change.ts'
import {
  boundByPlan,
  endsUngraded,
  judged,
  leftToGrade,
  type SucceededStep,
  withGrade,
  withinLimits,
  withNote,
} from './verdict-stages.ts'

export async function finishSuccess(step: SucceededStep): Promise<Settled> {
  return settleGraded(
    step,
    await gradeStep(step.context, step.end, rubricsOf(step.context, step.end.task)),
    judgeGraded,
  )
}

type Graded = Extract<GradedStep, { kind: 'passed' }>

/** `next` follows if the answer passes, or has no rubric. */
async function settleGraded(
  step: SucceededStep,
  graded: GradedStep,
  next: (step: SucceededStep, graded: Graded) => Promise<Settled>,
): Promise<Settled> {
  const { context, end } = step
  switch (graded.kind) {
    case 'parked':
      return graded
    case 'over_ceiling':
      return endOverCeiling(context, graded)
    case 'revise':
      return reviseAnswer(context, end, graded.notes)
    case 'verdict':
      return write({ ...step, grade: graded.ofRun }, graded.verdict)
    case 'passed':
      return next({ ...step, grade: graded.ofRun }, graded)
  }
}

async function judgeGraded(step: SucceededStep, { notes }: Graded): Promise<Settled> {
  const judgement = await judged(step)
  if (judgement.kind === 'parked') return judgement
  if (judgement.kind === 'over_ceiling') return endOverCeiling(step.context, judgement)
  const said = withGrade(judgement.verdict, notes)
  const verdict = leftToGrade(step, withNote(step, boundByPlan(step, withinLimits(step, said))))
  const late = endsUngraded(step, verdict)
  if (!late) return write(step, verdict)
  // The judge has stopped the run before its last step, so this step gives the result.
  await step.context.ledger.record({ usage: verdict.usage })
  const graded = await gradeStep(step.context, step.end, [late])
  return settleGraded(step, graded, (whole) => write(whole, { ...verdict, usage: [] }))
}

function write(step: SucceededStep, verdict: Verdict): Promise<Settled> {
  const { failure } = verdict
  return failure === undefined || failure === 'step_limit'
    ? writeEnd(step, verdict)
    : writeFailure(step, verdict, failure)
}

async function writeEnd(step: SucceededStep, verdict: Verdict): Promise<Settled> {
  const { context, end } = step
  const after = verdictChange(step, verdict)
  const ended = endEvents(context.stepOf(end.task.key), end, { content: end.content, outcome: 'succeeded' })
  const stop = verdict.required ? [stopEntry(step, verdict)] : []
  // Fields that the other change does not have come before it, and those that it has after it: V8 needs a hundred times
  // longer to add a field to a copy.
  const change: LedgerChange = {
    resetsRecoveries: true,
    usage: [...end.usage, ...verdict.usage, taskCompleted(end.task.key)],
    ...(after.trigger === 'succeed' && { memory: await runSliced(runEpisode(context, end)) }),
    ...after,
    events: [...ended, ...after.events],
    journal: [doneEntry(step, verdict), ...stop, ...after.journal],
  }
  if (after.trigger !== undefined) {
    await context.ledger.apply(change)
    return runOver
  }
  await context.ledger.record(change)
  return goOn
}

const doneEntry = ({ context, end, grade }: SucceededStep, { judgedBy }: Verdict) =>
  journalEntry('done', end.task.key, {
    stepId: end.task.stepId,
    kind: end.task.step.kind,
    content: end.content,
    output: end.output,
    redacted: end.redacted,
    order: context.ledger.progress.done.size,
    ...(judgedBy && { judgedBy }),
    ...(grade && { grade }),
  })

/** If the judge rejects the work or cannot be asked, the step fails. A retry of the run repeats it. */
async function writeFailure({ context, end }: SucceededStep, verdict: Verdict, reasonCode: string): Promise<Settled> {
  const { attempt, requestId } = context.run
  const { total } = context.ledger.progress.failuresOf(end.task.key)
  // If the judge is unavailable, the answer is not known to be bad: a retry judges it again and keeps it.
  const isReplay = isReplayFailure(reasonCode)
  const isBad = reasonCode !== 'judge_unavailable' && !isReplay && end.evidence !== undefined
  const kept = isBad ? { keptTurns: end.evidence.keptTurns } : {}
  const isTold = (isReplay || reasonCode === 'judge_unavailable') && verdict.reason !== ''
  const fail = { attempt, ...kept, ...(isTold && { message: verdict.reason }) }
  await context.ledger.apply({
    trigger: 'fail',
    events: [
      ...endEvents(context.stepOf(end.task.key), end, { content: end.content, outcome: 'fail_run', reasonCode }),
      decisionOf(context.run, { ...verdict, reasonCode }),
      workerTransition('fail', { requestId, reasonCode }),
    ],
    journal: [journalEntry('fail', `${end.task.key}:${total}`, fail)],
    usage: [...end.usage, ...verdict.usage],
  })
  return runOver
}
