// The shape of a request, checked with zod, and the one problem that a provider would name.
import type { z } from 'zod'

export interface ShapeProblem {
  readonly kind: 'missing' | 'unknown' | 'type' | 'value' | 'small' | 'large' | 'pattern'
  readonly path: readonly (string | number)[]
  readonly value: unknown
  /** The type, limit, values or pattern that were expected. */
  readonly expected: string
}

type Issue = z.core.$ZodIssue

export function shapeProblem(schema: z.ZodType, body: unknown): ShapeProblem | undefined {
  const { error } = schema.safeParse(body)
  const issue = error && deepest(error.issues)
  return issue && describe(issue, body)
}

/** Of a union, the branch that got furthest is the one that was meant. */
function deepest(issues: readonly Issue[], under: Issue['path'] = []): Issue | undefined {
  const [first] = issues
  if (first === undefined) return undefined
  const issue = { ...first, path: [...under, ...first.path] }
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return issue
  const branches = issue.errors.map((branch) => deepest(branch, issue.path)).filter((branch) => branch !== undefined)
  return branches.sort((a, b) => progress(b) - progress(a))[0] ?? issue
}

/** Deeper is further; at one depth, a branch of the right type is further than one of another type. */
const progress = ({ path, code }: Issue): number => path.length + (code === 'invalid_type' ? 0 : 0.5)

function describe(issue: Issue, body: unknown): ShapeProblem {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))
  const value = path.reduce<unknown>((at, step) => (at as Record<string | number, unknown> | undefined)?.[step], body)
  const named = (kind: ShapeProblem['kind'], expected: unknown): ShapeProblem => ({
    kind: value === undefined ? 'missing' : kind,
    path,
    value,
    expected: String(expected),
  })
  switch (issue.code) {
    case 'unrecognized_keys':
      return { kind: 'unknown', path: [...path, issue.keys[0] ?? ''], value: undefined, expected: '' }
    case 'invalid_type':
      return named('type', issue.expected)
    case 'invalid_value':
      return named('value', issue.values.map((each) => `'${String(each)}'`).join(', '))
    case 'too_small':
      return named('small', issue.minimum)
    case 'too_big':
      return named('large', issue.maximum)
    case 'invalid_format':
      return named('pattern', 'pattern' in issue ? issue.pattern : issue.format)
    default:
      return named('value', issue.message.replace('Invalid discriminator value. Expected ', ''))
  }
}

/** `messages[0].content`, as OpenAI writes it. */
export const bracketPath = (path: readonly (string | number)[]): string =>
  path.reduce<string>((written, step) => {
    if (typeof step === 'number') return `${written}[${step}]`
    return written === '' ? step : `${written}.${step}`
  }, '')

/** `messages.0.content`, as Anthropic writes it. */
export const dottedPath = (path: readonly (string | number)[]): string => path.join('.')
