// Compares two reports by the cases that both have: a new case that fails is not a drop, a removed one not a rise.
import { EvaluationError } from '../cases/evaluation-error.ts'
import { meanPassHat, passHat } from './pass-rate.ts'
import { type CaseReport, countsOf, type Report } from './report.ts'

interface ChangedCase {
  readonly name: string
  /** pass@1 before and after. */
  readonly before: number
  readonly after: number
}

export interface Comparison {
  readonly before: number
  readonly after: number
  /** How much pass@1 fell; negative if it rose. */
  readonly drop: number
  readonly worse: readonly ChangedCase[]
  readonly better: readonly ChangedCase[]
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** Throws an EvaluationError if the reports have no case in common. */
export function compareReports(previous: Report, current: Report): Comparison {
  const earlier = new Map(previous.cases.map((each) => [each.name, each]))
  const pairs = current.cases.flatMap((now) => {
    const then = earlier.get(now.name)
    return then === undefined ? [] : [{ then, now }]
  })
  if (pairs.length === 0) throw new EvaluationError('The previous report has no case in common with this evaluation.')
  const before = meanOf(pairs.map(({ then }) => then))
  const after = meanOf(pairs.map(({ now }) => now))
  const changes = pairs.map(({ then, now }) => ({ name: now.name, before: rateOf(then), after: rateOf(now) }))
  const common = new Set(pairs.map(({ now }) => now.name))
  return {
    before,
    after,
    drop: before - after,
    worse: changes.filter((change) => change.after < change.before),
    better: changes.filter((change) => change.after > change.before),
    added: current.cases.map(({ name }) => name).filter((name) => !common.has(name)),
    removed: previous.cases.map(({ name }) => name).filter((name) => !common.has(name)),
  }
}

const rateOf = (each: CaseReport): number => passHat(countsOf(each), 1)
const meanOf = (cases: readonly CaseReport[]): number => meanPassHat(cases.map(countsOf), 1)

/** A drop of exactly `maxDrop` is allowed, although floating-point numbers may show a little more. */
export const dropsTooFar = ({ drop }: Comparison, maxDrop: number): boolean => drop > maxDrop + 1e-9
