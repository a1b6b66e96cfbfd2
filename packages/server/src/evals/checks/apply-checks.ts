// Applies the checks of a case to what a trial left behind. Every failed check is one sentence.
import type { SchemaThreads } from '../../runtime/schemas/schema-threads.ts'
import type { EvalCase } from '../cases/case.ts'
import type { CallCheck, Check } from '../cases/check.ts'
import { findMismatch } from '../cases/schema-check.ts'
import { firstDifference, matchesPartially, show, valueAt } from './difference.ts'
import type { Observation, ObservedCall } from './observation.ts'

/** What the checks need beside the observation. */
export interface Evidence {
  readonly schemas: SchemaThreads
  /** The expected states of `state_after`, in the order of the checks. */
  readonly states: ReadonlyMap<Check, unknown>
  /** Asks a model; undefined if the answer meets the rubric, otherwise the reason. */
  readonly judge: (judged: NonNullable<Check['judged']>, observation: Observation) => Promise<string | undefined>
}

/** The problems found, in the order of the checks. Without a check of the status, the run has to succeed. */
export async function applyChecks(
  { checks, limits }: Pick<EvalCase, 'checks' | 'limits'>,
  observation: Observation,
  evidence: Evidence,
): Promise<readonly string[]> {
  const { status = 'succeeded' } = checks.find((check) => check.status !== undefined) ?? {}
  const wrongStatus = checkStatus(status, observation)
  if (wrongStatus !== undefined) return [wrongStatus]
  const problems: (string | undefined)[] = []
  for (const check of checks) problems.push(await applyCheck(check, observation, evidence))
  return [...problems, ...checkLimits(limits, observation)].filter((problem) => problem !== undefined)
}

function checkStatus(expected: string, { status, why }: Observation): string | undefined {
  if (status === expected) return undefined
  return `status: is ${status}, expected ${expected}${why === undefined ? '' : `: ${why}`}`
}

type Applied = { readonly [Field in keyof Check]-?: Apply<NonNullable<Check[Field]>> }
type Apply<Expected> = (
  expected: Expected,
  observation: Observation,
  more: Evidence & { readonly check: Check },
) => string | undefined | Promise<string | undefined>

const apply: Applied = {
  status: () => undefined,
  equals: (expected, { content, output }) =>
    typeof expected === 'string'
      ? firstDifference(expected.trim(), content.trim())
      : firstDifference(expected, output ?? parsedOr(content)),
  contains: (expected, { content }) =>
    content.toLowerCase().includes(expected.toLowerCase())
      ? undefined
      : `the result does not contain ${show(expected)}: ${show(content)}`,
  matches: async (pattern, { content }, { check, schemas }) => {
    const problem = await findMismatch(check, content, schemas)
    if (problem?.startsWith('the value must match')) return `the result does not match ${pattern}: ${show(content)}`
    return problem
  },
  schema: (_, { output }, { check, schemas }) =>
    output === null ? 'the result is not JSON' : findMismatch(check, output, schemas),
  judged: (judged, observation, { judge }) => judge(judged, observation),
  called: (expected, { calls }) => checkCalled(expected, calls),
  not_called: (expected, { calls }) => {
    const made = calls.find((call) => isCall(expected, call))
    return made && `${made.name} was called with ${show(made.input)} (${made.outcome})`
  },
  state: (expected, { state }) =>
    Object.entries(expected)
      .map(([pointer, value]) => firstDifference(value, valueAt(state, pointer), pointer))
      .find((problem) => problem !== undefined),
  state_after: (_, { state }, { states, check }) => firstDifference(states.get(check), state),
}

/** A result that is only a number, say, is text. */
function parsedOr(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return content
  }
}

async function applyCheck(check: Check, observation: Observation, evidence: Evidence): Promise<string | undefined> {
  const [field, expected] = Object.entries(check)[0] as [keyof Check, never]
  const problem = await apply[field](expected, observation, { ...evidence, check })
  return problem === undefined ? undefined : `${field}: ${problem}`
}

const isCall = ({ name, with: input = {}, outcome }: CallCheck, call: ObservedCall): boolean =>
  call.name === name && (outcome ?? call.outcome) === call.outcome && matchesPartially(input, call.input)

function checkCalled(expected: CallCheck, calls: readonly ObservedCall[]): string | undefined {
  const made = calls.filter((call) => isCall(expected, call)).length
  if (expected.times === undefined ? made > 0 : made === expected.times) return undefined
  const { name, with: input, times } = expected
  const wanted = `${name}${input === undefined ? '' : ` with ${show(input)}`}`
  const others = calls.filter((call) => call.name === name).map((call) => show(call.input))
  const instead = others.length > 0 ? `; ${name} was called with ${others.join(', ')}` : ''
  if (times === undefined) return `${wanted} was not called${instead}`
  return `${wanted} was called ${made} times, expected ${times}${made === others.length ? '' : instead}`
}

function checkLimits(limits: EvalCase['limits'], { turns, tokens, seconds }: Observation): readonly string[] {
  const used = { max_turns: turns, max_tokens: tokens, max_seconds: seconds }
  return Object.entries(limits).flatMap(([limit, most]) => {
    const actual = used[limit as keyof typeof used]
    return actual <= most ? [] : [`${limit}: used ${actual}, at most ${most} allowed`]
  })
}
