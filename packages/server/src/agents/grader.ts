// The judge as grader: what it is shown of an answer, and how its grade is read. It sees the task, the rubric, the
// answer and the evidence, and not the conversation of the worker.
import { z } from 'zod'
import { findScoreProblems, type SaidGrade } from '../domain/rubric/grade.ts'
import type { Rubric, Score } from '../domain/rubric/rubric.ts'
import type { Message, ModelReply } from '../models/port/model.ts'
import { asData } from './as-data.ts'
import type { Shown } from './finished-steps.ts'
import { describeCalls, type JudgedCall } from './judge.ts'
import { prompts } from './load-prompt.ts'
import { describeRun, type PromptContext } from './prompt.ts'
import { readJson } from './read-output.ts'
import { isTextOf, writeText } from './value-text.ts'

export interface GradedAnswer {
  /** Empty: the step does what the input asks for. */
  readonly instruction: string
  readonly content: string
  readonly output: unknown
  readonly calls: readonly JudgedCall[]
}

/**
 * `shown` is given if the prompt was too long. The answer is never cut: a grade is about all of it. It comes last,
 * because what comes before stays the same over its revisions, and is cached.
 */
export function graderMessages(
  context: PromptContext,
  { answer, rubric }: { readonly answer: GradedAnswer; readonly rubric: Rubric },
  shown?: Shown,
): Message[] {
  const parts = [
    ...describeRun({ ...context, input: withoutRubric(context.input), plan: undefined }, shown),
    `The agent was to do this: ${answer.instruction || 'Do what the input asks for.'}`,
    describeRubric(rubric),
    describeCalls(answer.calls, shown),
    ...describeAnswer(answer),
    howToAnswer(rubric),
  ]
  return [
    { from: 'system', text: prompts.grade.text },
    { from: 'user', text: parts.join('\n\n') },
  ]
}

/** Not told: the pass marks, because a judge that knows them tends to give them. */
function withoutRubric(input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return input
  const { rubric: _, sandbox: __, ...task } = input as Record<string, unknown>
  return task
}

export const describeRubric = ({ criteria, scores }: Rubric): string =>
  criteria === undefined ? ['Rubric:', ...scores.map(describeScore)].join('\n') : `Rubric:\n${criteria}`

function describeScore(score: Score): string {
  const scale = score.type === 'boolean' ? 'true or false' : `${score.type} from ${score.minimum} to ${score.maximum}`
  return `- ${score.name} (${scale})${score.description === undefined ? '' : `: ${score.description}`}`
}

function describeAnswer({ content, output }: GradedAnswer): string[] {
  const isContent = output === null || output === undefined || isTextOf(output, content)
  return [asData('answer', content), ...(isContent ? [] : [asData('output of the answer', writeText(output))])]
}

const howToAnswer = ({ scores }: Rubric): string => {
  const example =
    scores.length === 0
      ? '{"passes": true or false, "notes": "…"}'
      : `{"scores": {${scores.map(({ name }) => `"${name}": …`).join(', ')}}, "notes": "…"}`
  return `Grade this answer. Reply with one JSON object and nothing else: ${example}`
}

const notes = { type: 'string' } as const

/** The schema of the judge's reply. */
export function gradeSchema({ scores }: Pick<Rubric, 'scores'>): Readonly<Record<string, unknown>> {
  const strict = { type: 'object', additionalProperties: false } as const
  if (scores.length === 0)
    return { ...strict, required: ['passes', 'notes'], properties: { passes: { type: 'boolean' }, notes } }
  const properties = Object.fromEntries(scores.map((score) => [score.name, scoreSchema(score)]))
  const ofScores = { ...strict, required: scores.map(({ name }) => name), properties }
  return { ...strict, required: ['scores', 'notes'], properties: { scores: ofScores, notes } }
}

const scoreSchema = (score: Score) =>
  score.type === 'boolean' ? { type: score.type } : { type: score.type, minimum: score.minimum, maximum: score.maximum }

const saidNotes = z.string().catch('')
const saidPass = z.object({ passes: z.union([z.boolean(), z.stringbool()]), notes: saidNotes })
const saidScores = z.object({ scores: z.record(z.string(), z.unknown()), notes: saidNotes })

/** The grade, or a sentence that says why it cannot be used. A script may say `passes` where a model gives scores. */
export function readGrade(said: Pick<ModelReply, 'text' | 'output'>, { scores }: Rubric, isScripted: boolean) {
  const json = readJson(said)
  if (!json.ok) return json.problem
  const pass = saidPass.safeParse(json.value)
  if (scores.length === 0 || (isScripted && pass.success)) return pass.success ? toPass(pass.data) : passProblem
  const given = saidScores.safeParse(json.value)
  if (!given.success) return 'scores must be an object with all scores'
  const problems = findScoreProblems(scores, given.data.scores)
  return problems.length > 0 ? problems.join('; ') : toScores(scores, given.data)
}

const passProblem = 'passes must be true or false'

const toPass = ({ passes, notes: said }: z.infer<typeof saidPass>): SaidGrade => ({
  passes,
  scores: undefined,
  notes: said,
})

/** Only those of the rubric: a judge may add others. */
function toScores(scores: readonly Score[], given: z.infer<typeof saidScores>): SaidGrade {
  const kept = scores.map(({ name }) => [name, given.scores[name] as number | boolean] as const)
  return { passes: undefined, scores: Object.fromEntries(kept), notes: given.notes }
}
