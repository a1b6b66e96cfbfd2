// Has the judge grade an answer against one rubric. The grade is journaled under the turn of the answer before anything
// follows from it, so that a recovered run does not ask again.
import { type GradedAnswer, graderMessages, gradeSchema, readGrade } from '../../agents/grader.ts'
import { prompts } from '../../agents/load-prompt.ts'
import { type Grade, gradeOf } from '../../domain/rubric/grade.ts'
import { isRubricProblem, type Rubric } from '../../domain/rubric/rubric.ts'
import { journalEntry, type TaskKey } from '../../domain/run/journal.ts'
import { gradeName } from '../../domain/run/turn-log.ts'
import type { SpentBudget } from '../../runs/budget-guard.ts'
import type { NewUsage } from '../../store/run-log/run-change.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { promptContext } from '../context/prompt-context.ts'
import type { OwnedRubric } from '../context/step-rubrics.ts'
import { askJudge, type JudgeAnswer } from './ask-judge.ts'
import { isReplayFailure, type ReplayFailure } from './judge-step.ts'

export interface AnswerToGrade extends GradedAnswer {
  /** The step that gave it. */
  readonly key: TaskKey
  /** The name of its last turn. */
  readonly turn: string
  /** Of the step, for the sandbox. Undefined: its script says nothing about the answer. */
  readonly agentStep: number | undefined
}

export type Grading =
  | { readonly kind: 'graded'; readonly grade: Grade }
  /** The judge gave no grade that can be used. */
  | { readonly kind: 'ungraded'; readonly reason: string; readonly failure: 'judge_unavailable' | ReplayFailure }
  | { readonly kind: 'parked'; readonly dueAtMs: number }
  | { readonly kind: 'over_ceiling'; readonly usage: readonly NewUsage[]; readonly budget?: SpentBudget }

export async function gradeAnswer(
  context: ExecutionContext,
  answer: AnswerToGrade,
  { of, rubric }: OwnedRubric,
): Promise<Grading> {
  const known = context.ledger.progress.turns.gradeOf(answer.turn, of)
  if (known) return { kind: 'graded', grade: known }
  if (isRubricProblem(rubric)) return ungraded(`The rubric cannot be used: ${rubric.problem}.`)
  const said = await ask(context, answer, { of, rubric })
  if (said.kind === 'parked' || said.kind === 'over_ceiling') return said
  if (said.kind !== 'answer') {
    if (said.usage.length > 0) await context.ledger.record({ usage: said.usage })
    return noGrade(said)
  }
  const grade = gradeOf(rubric, said.answer)
  const isRead = context.models.judge[0]?.readsPrompt !== false
  const gradedBy = { model: said.model, promptVersion: prompts.grade.version }
  const body = { ...grade, ...(isRead && { gradedBy }) }
  await context.ledger.apply({ journal: [journalEntry('grade', gradeName(answer.turn, of), body)], usage: said.usage })
  // As it was journaled: without secrets.
  return { kind: 'graded', grade: context.ledger.progress.turns.gradeOf(answer.turn, of) ?? grade }
}

interface UsableRubric extends OwnedRubric {
  readonly rubric: Rubric
}

function ask(context: ExecutionContext, answer: AnswerToGrade, { of, rubric }: UsableRubric) {
  const { key, turn, agentStep } = answer
  const { progress } = context.ledger
  const isScripted = context.models.judge[0]?.readsPrompt === false
  const described = promptContext(context, { current: key })
  return askJudge(context, {
    key: `${key}:grade-${of}-${turn.slice(key.length + 1)}`,
    prompt: 'grade',
    messages: (shown) => graderMessages(described(), { answer, rubric }, shown),
    outputSchema: gradeSchema(rubric),
    read: (reply) => readGrade(reply, rubric, isScripted),
    rehearsal: {
      agentStep: agentStep ?? Number.POSITIVE_INFINITY,
      failures: 0,
      turn: 0,
      revision: progress.turns.revisionsOf(key),
      grades: true,
      isLast: progress.isLast(key),
    },
  })
}

function noGrade(said: Extract<JudgeAnswer<object>, { kind: 'failed' | 'unreadable' }>): Grading {
  if (said.kind === 'unreadable') return ungraded(`The judge gave no usable grade: ${said.problem}.`)
  const { reasonCode, message } = said.failure
  return isReplayFailure(reasonCode)
    ? { kind: 'ungraded', reason: message, failure: reasonCode }
    : ungraded(`The judge could not be asked for a grade (${reasonCode}): ${message}`)
}

const ungraded = (reason: string): Grading => ({ kind: 'ungraded', reason, failure: 'judge_unavailable' })
