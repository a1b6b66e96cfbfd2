// The grade of a step that succeeded, before the judge is asked what comes next.
//
//   no rubric, or all pass           passed
//   one does not pass                revise, while each of those allows one more revision and a turn is left
//   no revision is left              the run fails with rubric_not_met: an answer that does not pass is no success
//   the judge gives no usable grade  a person is asked if the operator says so, else the run fails
import { describeShortfall, type Grade } from '../../domain/rubric/grade.ts'
import { isRubricProblem } from '../../domain/rubric/rubric.ts'
import { journalEntry, type ResultGrade } from '../../domain/run/journal.ts'
import { coordinationDecision } from '../../runs/step-events.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import type { OwnedRubric } from '../context/step-rubrics.ts'
import { type AnswerToGrade, type Grading, gradeAnswer } from './grade-answer.ts'
import { type Verdict, verdictByRule } from './judge-step.ts'
import { goOn, type Settled } from './settled.ts'
import type { TaskSucceeded } from './task-end.ts'

export type GradedStep =
  | { readonly kind: 'passed'; readonly notes: string | undefined; readonly ofRun: ResultGrade | undefined }
  | { readonly kind: 'revise'; readonly notes: string }
  /** The verdict is known without asking the judge. */
  | { readonly kind: 'verdict'; readonly verdict: Verdict; readonly ofRun: ResultGrade | undefined }
  | Extract<Grading, { kind: 'parked' | 'over_ceiling' }>

interface GradedBy extends OwnedRubric {
  readonly grade: Grade
}

export async function gradeStep(
  context: ExecutionContext,
  end: TaskSucceeded,
  rubrics: readonly OwnedRubric[],
): Promise<GradedStep> {
  const grades: GradedBy[] = []
  const answer = rubrics.length > 0 ? answerOf(context, end) : undefined
  for (const owned of answer ? rubrics : []) {
    const grading = await gradeAnswer(context, answer as AnswerToGrade, owned)
    if (grading.kind === 'ungraded') return withoutGrade(context, end, grading)
    if (grading.kind !== 'graded') return grading
    grades.push({ ...owned, grade: grading.grade })
  }
  return follow(context, end, grades)
}

/** Only the answer of an agent step can be revised. That of a tool step is graded when the run ends. */
function answerOf({ ledger }: ExecutionContext, end: TaskSucceeded): AnswerToGrade | undefined {
  const { task, content, output, evidence } = end
  const turn = ledger.progress.turns.lastTurnOf(task.key)
  if (turn === undefined || !evidence) return undefined
  const { instruction, calls } = evidence
  return { key: task.key, turn, agentStep: task.agentStep, instruction, content, output, calls }
}

function follow(context: ExecutionContext, end: TaskSucceeded, grades: readonly GradedBy[]): GradedStep {
  const revisions = context.ledger.progress.turns.revisionsOf(end.task.key)
  const low = grades.filter(({ grade }) => !grade.passed)
  const notes = low.map(({ rubric, grade }) => describeGrade(rubric, grade)).join('\n\n')
  if (low.length === 0) return { kind: 'passed', notes: notesOf(grades), ofRun: ofRunIn(grades, revisions) }
  const mayRevise = low.every(({ rubric }) => !isRubricProblem(rubric) && revisions < rubric.maxRevisions)
  if (mayRevise && end.note !== 'turn_limit') return { kind: 'revise', notes }
  return { kind: 'verdict', verdict: failed(notes), ofRun: undefined }
}

/** What the answer lacks. */
export function describeGrade(rubric: OwnedRubric['rubric'], grade: Grade): string {
  const words = isRubricProblem(rubric) ? grade.notes : describeShortfall(rubric, grade)
  return words === '' ? 'The judge gave no notes.' : words
}

/** What the judge said about an answer that passes. Undefined: it was not asked. */
const notesOf = (grades: readonly GradedBy[]): string | undefined =>
  grades.length === 0 ? undefined : grades.flatMap(({ grade: { notes } }) => (notes === '' ? [] : [notes])).join('\n\n')

function ofRunIn(grades: readonly GradedBy[], revisions: number): ResultGrade | undefined {
  const grade = grades.find(({ of }) => of === 'run')?.grade
  return grade && resultGrade(grade, revisions)
}

export const resultGrade = ({ passed, notes, scores }: Grade, revisions: number): ResultGrade => ({
  passed,
  notes,
  ...(scores && { scores }),
  revisions,
})

export const failed = (notes: string): Verdict => ({
  ...verdictByRule(true),
  reasonCode: 'rubric_not_met',
  said: { decision: 'stop', reason: notes },
  reason: notes,
  failure: 'rubric_not_met',
})

/** Without a grade, an answer is never a success by itself. */
function withoutGrade(
  context: ExecutionContext,
  { task }: TaskSucceeded,
  { reason, failure }: Extract<Grading, { kind: 'ungraded' }>,
): GradedStep {
  const { progress } = context.ledger
  const byRule = { ...verdictByRule(progress.isLast(task.key) ?? true), reason }
  if (failure !== 'judge_unavailable' || context.parts.limits.judgeFallback !== 'ask')
    return { kind: 'verdict', verdict: { ...byRule, decision: 'stop', reasonCode: failure, failure }, ofRun: undefined }
  const prompt = `${reason} Approve to accept the answer of the step ${task.stepId} without a grade, or reject to end the run.`
  const question = { reasonCode: 'judge_unreadable', inputKind: 'approval', prompt } as const
  const ofRun = { passed: false, notes: reason, revisions: progress.turns.revisionsOf(task.key) }
  return { kind: 'verdict', verdict: { ...byRule, decision: 'await_input', question }, ofRun }
}

/** The task is executed again from the journal: its conversation goes on with the notes. */
export async function reviseAnswer(
  context: ExecutionContext,
  { task }: TaskSucceeded,
  notes: string,
): Promise<Settled> {
  const { run, ledger } = context
  const turn = ledger.progress.turns.lastTurnOf(task.key)
  const said = { decision: 'continue', reason: notes } as const
  const decision = { decision: 'continue', reasonCode: 'revision_requested', role: 'judge', said } as const
  await ledger.apply({
    events: [coordinationDecision(run.requestId, decision)],
    journal: [journalEntry('revise', turn ?? task.key, { notes })],
    resetsRecoveries: true,
  })
  return goOn
}
