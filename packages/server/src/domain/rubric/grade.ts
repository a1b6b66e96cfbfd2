// The grade of an answer: what the judge says about it, and whether it passes.
import { cutText } from '@runwright/contract'
import type { Rubric, Score } from './rubric.ts'

export type Scores = Readonly<Record<string, number | boolean>>

export interface Grade {
  readonly passed: boolean
  /** What is missing, for the worker. May be empty. */
  readonly notes: string
  /** Absent if the rubric has none. */
  readonly scores?: Scores
}

/** What the judge says, once it can be read. */
export interface SaidGrade {
  /** Undefined: the scores decide. */
  readonly passes: boolean | undefined
  readonly scores: Scores | undefined
  readonly notes: string
}

/** A longer text would fill the conversation of the worker. */
export const maxNotesLength = 4_000

export function gradeOf({ scores }: Rubric, said: SaidGrade): Grade {
  const passed = said.scores === undefined ? said.passes === true : scores.every((score) => reaches(score, said.scores))
  const notes = cutText(said.notes.trim(), maxNotesLength)
  return { passed, notes, ...(said.scores && { scores: said.scores }) }
}

const reaches = (score: Score, given: Scores = {}): boolean => {
  const value = given[score.name]
  return score.type === 'boolean' ? value === true : typeof value === 'number' && value >= score.pass
}

/** What is wrong with the scores that the judge gave, as clauses without a full stop. */
export function findScoreProblems(scores: readonly Score[], given: Readonly<Record<string, unknown>>): string[] {
  return scores.flatMap((score) => (isOnScale(score, given[score.name]) ? [] : [`scores.${describeScale(score)}`]))
}

function isOnScale(score: Score, value: unknown): boolean {
  if (score.type === 'boolean') return typeof value === 'boolean'
  if (typeof value !== 'number' || (score.type === 'integer' && !Number.isInteger(value))) return false
  return value >= score.minimum && value <= score.maximum
}

function describeScale(score: Score): string {
  if (score.type === 'boolean') return `${score.name} must be true or false`
  const kind = score.type === 'integer' ? 'an integer' : 'a number'
  return `${score.name} must be ${kind} from ${score.minimum} to ${score.maximum}`
}

/** What an answer lacks, for the worker and for people: the scores that are too low, and the notes. */
export function describeShortfall(rubric: Rubric, { scores, notes }: Grade): string {
  const low = rubric.scores.filter((score) => scores && !reaches(score, scores))
  return [...low.map((score) => describeLow(score, scores?.[score.name])), ...(notes === '' ? [] : [notes])].join('\n')
}

const describeLow = (score: Score, value: number | boolean | undefined): string =>
  score.type === 'boolean'
    ? `${score.name} is not met.`
    : `${score.name} is ${value}; it must be at least ${score.pass}.`
