// Asks the judge about a finished step. If it gives no usable decision, the operator's setting decides.
import type { DecisionType } from '@runwright/contract'
import type { Shown } from '../../agents/finished-steps.ts'
import {
  type JudgedStep,
  type JudgeReply,
  judgeMessages,
  judgeSchema,
  type Question,
  readJudge,
} from '../../agents/judge.ts'
import { prompts } from '../../agents/load-prompt.ts'
import type { Answerer, TaskKey } from '../../domain/run/journal.ts'
import type { Task } from '../../domain/run/next-move.ts'
import type { Message } from '../../models/port/model.ts'
import type { SpentBudget } from '../../runs/budget-guard.ts'
import type { NewUsage } from '../../store/run-log/run-change.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { promptContext } from '../context/prompt-context.ts'
import { judgeModeOf } from '../context/step-rubrics.ts'
import type { ModelCallEnd } from '../models/call-model.ts'
import { askJudge } from './ask-judge.ts'
import type { TaskSucceeded } from './task-end.ts'

/** What happens after a step, and what the judge said. */
export interface Verdict {
  readonly decision: DecisionType
  readonly reasonCode: string
  /** Word for word. Undefined if the judge was not asked or gave no readable answer. */
  readonly said: { readonly decision: DecisionType; readonly reason: string } | undefined
  readonly reason: string
  /** The run fails with this reason code. */
  readonly failure?:
    | 'goal_not_reached'
    | 'rubric_not_met'
    | 'judge_unavailable'
    | 'replan_limit'
    | 'step_limit'
    | ReplayFailure
  /** The judge has said stop: of the steps that are left, only these still start. Absent: all of them. */
  readonly required?: readonly TaskKey[]
  /** What the next step of a run without a plan has to do. */
  readonly nextInstruction?: string | undefined
  readonly question: Question | undefined
  /** Nothing is left to do after a person has answered. */
  readonly isLast: boolean
  readonly usage: readonly NewUsage[]
  /** Absent if no model judged. */
  readonly judgedBy?: Answerer
}

export type Judgement =
  | { readonly kind: 'verdict'; readonly verdict: Verdict }
  | { readonly kind: 'parked'; readonly dueAtMs: number }
  | { readonly kind: 'over_ceiling'; readonly usage: readonly NewUsage[]; readonly budget?: SpentBudget }

/** The decision by the steps alone: continue while steps are left. */
export const verdictByRule = (isLast: boolean): Verdict => ({
  decision: isLast ? 'stop' : 'continue',
  reasonCode: isLast ? 'all_done' : 'step_done',
  said: undefined,
  reason: '',
  question: undefined,
  isLast,
  usage: [],
})

/** Whether the judge is asked about a step. Otherwise the rule decides. */
export function isJudged(context: ExecutionContext, task: Task): boolean {
  if (task.step.kind === 'tool') return false
  const mode = judgeModeOf(context, task, task.step)
  if (mode === 'end') return context.ledger.progress.isLast(task.key) !== false
  return mode === 'each_step'
}

export const isJudgedByModel = (context: ExecutionContext, task: Task): boolean =>
  isJudged(context, task) && context.models.judge.some(({ readsPrompt }) => readsPrompt !== false)

export async function judgeStep(context: ExecutionContext, end: TaskSucceeded): Promise<Judgement> {
  const { task } = end
  const { progress } = context.ledger
  const said = await askJudge(context, {
    key: `${task.key}:judge`,
    messages: (shown) => messagesFor(context, end, shown),
    outputSchema: judgeSchema,
    read: readJudge,
    rehearsal: { agentStep: task.agentStep, failures: 0, turn: 0, isLast: progress.isLast(task.key) },
  })
  if (said.kind === 'parked' || said.kind === 'over_ceiling') return said
  if (said.kind === 'failed') return notJudged(context, task, said)
  if (said.kind === 'unreadable') return fallBack(context, task, said.usage)
  return verdictOf(context, end, { ...said, reply: said.answer })
}

function messagesFor(context: ExecutionContext, end: TaskSucceeded, shown: Shown | undefined): Message[] {
  const { task, content, output, evidence } = end
  const { progress } = context.ledger
  const judged: JudgedStep = {
    stepId: task.stepId,
    instruction: evidence?.instruction ?? '',
    content,
    output,
    calls: evidence?.calls ?? [],
    stepsLeft: progress.stepsLeft(task.key),
    stepsAfterStop: progress.afterStop(task.key, []).required.length,
  }
  return judgeMessages(promptContext(context, { current: task.key })(), judged, shown)
}

interface Answered {
  readonly reply: JudgeReply
  readonly model: string
  readonly usage: readonly NewUsage[]
}

function verdictOf(context: ExecutionContext, { task }: TaskSucceeded, { reply, model, usage }: Answered): Judgement {
  const isLastOfPlan = context.ledger.progress.isLast(task.key)
  const { decision: wanted, reason, goalReached, question, nextInstruction } = reply
  // There is no next step to continue with. Without a plan, only an instruction is one; a script needs none.
  const nothingLeft = isLastOfPlan ?? (nextInstruction === undefined && isRealJudge(context))
  const isOver = wanted === 'continue' && nothingLeft
  const hasEnded = wanted === 'stop' || (isOver && isLastOfPlan === undefined)
  const decision = isOver ? 'stop' : wanted
  return {
    kind: 'verdict',
    verdict: {
      decision,
      reasonCode: isOver ? 'nothing_left' : reasonCodes[decision],
      said: { decision: wanted, reason },
      reason,
      ...(hasEnded && !goalReached && { failure: 'goal_not_reached' as const }),
      ...(nextInstruction !== undefined && { nextInstruction }),
      question,
      isLast: reply.isLast ?? isLastOfPlan ?? false,
      usage,
      // The sandbox reads no prompt.
      ...(isRealJudge(context) && { judgedBy: { model, promptVersion: prompts.judge.version } }),
    },
  }
}

const isRealJudge = ({ models }: ExecutionContext): boolean => models.judge[0]?.readsPrompt !== false

const reasonCodes: Readonly<Record<DecisionType, string>> = {
  continue: 'step_done',
  stop: 'all_done',
  replan: 'replan_requested',
  await_input: 'input_required',
}

export type ReplayFailure = 'cassette_mismatch' | 'cassette_missing'

export const isReplayFailure = (reasonCode: string | undefined): reasonCode is ReplayFailure =>
  reasonCode === 'cassette_mismatch' || reasonCode === 'cassette_missing'

/** A replayed run that differs from the recorded one must not go on by the rule. */
function notJudged(
  context: ExecutionContext,
  task: Task,
  failed: Extract<ModelCallEnd, { kind: 'failed' }>,
): Judgement {
  const { reasonCode, message: reason } = failed.failure
  if (!isReplayFailure(reasonCode)) return fallBack(context, task, failed.usage)
  const byRule = { ...verdictByRule(true), usage: failed.usage }
  return { kind: 'verdict', verdict: { ...byRule, reasonCode, reason, failure: reasonCode } }
}

/** The judge gave no decision: the rule decides and the event says so, a person is asked, or the run fails. */
function fallBack(context: ExecutionContext, task: Task, usage: readonly NewUsage[]): Judgement {
  const isLast = context.ledger.progress.isLast(task.key) ?? true
  const byRule = { ...verdictByRule(isLast), reasonCode: 'judge_unreadable', usage }
  const { judgeFallback } = context.parts.limits
  if (judgeFallback === 'rule') return { kind: 'verdict', verdict: byRule }
  if (judgeFallback === 'fail') {
    return { kind: 'verdict', verdict: { ...byRule, decision: 'stop', failure: 'judge_unavailable' } }
  }
  const prompt = `The judge gave no usable decision after the step ${task.stepId}. Approve to go on, or reject to end the run.`
  const question: Question = { reasonCode: 'judge_unreadable', inputKind: 'approval', prompt }
  return { kind: 'verdict', verdict: { ...byRule, decision: 'await_input', question } }
}
