// Reads a rubric, of a run or of an agent, and decides by it whether a grade passes.
//
//   criteria in words   the judge says whether the answer passes
//   scores              each number is at least its pass mark, and each boolean is true
import {
  agentRubricSchema,
  defaultMaxRevisions,
  describeIssue,
  type Rubric as GivenRubric,
  type JsonLocation,
  rubricSchema,
  showLocation,
} from '@runwright/contract'

export type Score = {
  readonly name: string
  readonly description: string | undefined
} & (
  | { readonly type: 'boolean' }
  | { readonly type: 'integer' | 'number'; readonly minimum: number; readonly maximum: number; readonly pass: number }
)

export interface Rubric {
  /** In words. Undefined: the scores decide. */
  readonly criteria: string | undefined
  readonly scores: readonly Score[]
  readonly maxRevisions: number
  /** The grade is part of the result of the run. */
  readonly includesGrade: boolean
}

/** What is wrong with a rubric: a clause that names the field, without a full stop. */
export interface RubricProblem {
  readonly problem: string
}

interface Reading {
  /** Where the rubric is, for messages. */
  readonly at: JsonLocation
  readonly of: 'run' | 'agent'
}

/** A text is the criteria. */
export function readRubric(given: unknown, { at, of }: Reading): Rubric | RubricProblem {
  const value = typeof given === 'string' ? { criteria: given } : given
  const parsed = (of === 'run' ? rubricSchema : agentRubricSchema).safeParse(value)
  return parsed.success ? resolve(parsed.data, at) : { problem: describeIssue({ error: parsed.error, value, at }) }
}

export const isRubricProblem = (read: Rubric | RubricProblem): read is RubricProblem => 'problem' in read

function resolve(given: GivenRubric, at: JsonLocation): Rubric | RubricProblem {
  const { criteria, scores, pass = {} } = given
  const place = showLocation(at)
  if ((criteria === undefined) === (scores === undefined))
    return { problem: `${place} must have exactly one of criteria, scores` }
  if (criteria?.trim() === '') return { problem: `${place} has criteria without words` }
  const problem = scores ? findScoreProblem(scores.properties, pass, at) : findMark(pass, at)
  if (problem !== undefined) return { problem }
  return {
    criteria,
    scores: Object.entries(scores?.properties ?? {}).map(([name, score]) => toScore(name, score, pass[name])),
    maxRevisions: given.max_revisions ?? defaultMaxRevisions,
    includesGrade: given.include_grade ?? false,
  }
}

type GivenScores = NonNullable<GivenRubric['scores']>['properties']
type Marks = NonNullable<GivenRubric['pass']>

const scoreName = /^[a-z][a-z0-9_]{0,63}$/i

function findScoreProblem(scores: GivenScores, pass: Marks, at: JsonLocation): string | undefined {
  const unknown = Object.keys(pass).find((name) => !Object.hasOwn(scores, name))
  if (unknown !== undefined) return `${showLocation([...at, 'pass', unknown])} is not the name of a score`
  for (const [name, score] of Object.entries(scores)) {
    const problem = findProblem(score, pass[name])
    if (!scoreName.test(name)) return `${showLocation([...at, 'scores', 'properties', name])} must match ${scoreName}`
    if (problem) return `${showLocation([...at, ...problem.in, name])} ${problem.problem}`
  }
  return undefined
}

interface ScoreProblem {
  readonly in: JsonLocation
  readonly problem: string
}

const inScores: JsonLocation = ['scores', 'properties']

function findProblem(
  { type, minimum, maximum }: GivenScores[string],
  mark: number | undefined,
): ScoreProblem | undefined {
  if (type === 'boolean') {
    if (minimum !== undefined || maximum !== undefined)
      return { in: inScores, problem: 'is a boolean, which has no minimum and maximum' }
    return mark === undefined ? undefined : { in: ['pass'], problem: 'is for a boolean, which passes if it is true' }
  }
  if (minimum === undefined || maximum === undefined || minimum >= maximum)
    return { in: inScores, problem: 'must have a minimum and a larger maximum' }
  if (mark === undefined) return { in: ['pass'], problem: 'is required: the lowest score that passes' }
  if (mark < minimum || mark > maximum)
    return { in: ['pass'], problem: `must be from the minimum ${minimum} to the maximum ${maximum} of the score` }
  return undefined
}

const findMark = (pass: Marks, at: JsonLocation): string | undefined =>
  Object.keys(pass).length === 0 ? undefined : `${showLocation([...at, 'pass'])} is only for scores`

function toScore(name: string, score: GivenScores[string], pass = 0): Score {
  const { type, description, minimum = 0, maximum = 0 } = score
  return type === 'boolean' ? { name, description, type } : { name, description, type, minimum, maximum, pass }
}
