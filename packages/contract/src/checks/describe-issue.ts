// Turns a zod error into one sentence for the caller that names the field and never repeats its value.
import type { z } from 'zod'
import { type JsonLocation, showLocation } from './location.ts'

type Issue = z.core.$ZodIssue

interface Described {
  readonly error: { readonly issues: readonly Issue[] }
  /** The value that was parsed. */
  readonly value: unknown
  /** The location of `value` in the body. */
  readonly at?: JsonLocation
  /** What to send instead of an unknown field of `value` itself. Undefined: nothing is known of it. */
  readonly placeOf?: ((field: string) => string | undefined) | undefined
}

/** Describes the first issue only: the others mostly repeat it. No full stop at the end. */
export const describeIssue = (described: Described): string =>
  describeMisplaced(described) ?? describeIssues(described, 1)

/** Comes first: a field in the wrong place is often why another one is missing. */
function describeMisplaced({ error, at = [], placeOf }: Described): string | undefined {
  if (placeOf === undefined) return undefined
  for (const issue of error.issues) {
    if (issue.code !== 'unrecognized_keys' || issue.path.length > 0) continue
    const key = issue.keys.find((unknown) => placeOf(unknown) !== undefined)
    if (key === undefined) continue
    return `${showLocation([...at, key])} is not a known field: ${placeOf(key)}`
  }
  return undefined
}

/** Describes the first issues, for a model that is to correct them all at once. No full stop at the end. */
export function describeIssues({ error, value, at = [] }: Described, max = maxDescribed): string {
  if (error.issues.length === 0) return `${showLocation(at)} is invalid`
  const described = error.issues.slice(0, max).map((issue) => describeOne(issue, value, at))
  return [...new Set(described)].join('; ')
}

const maxDescribed = 10

function describeOne(issue: Issue, value: unknown, at: JsonLocation): string {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)))
  if (issue.code === 'unrecognized_keys') return describeUnknown([...at, ...path], issue.keys)
  const meant = issue.code === 'invalid_union' ? meantIn(issue.errors, valueAt(value, path)) : undefined
  if (meant) return `${describeOne(meant, valueAt(value, path), [...at, ...path])}${orObject(issue, meant)}`
  return `${showLocation([...at, ...path])} ${describeProblem(issue, valueAt(value, path))}`
}

/** Of a word or an object, the first problem with what was sent: an object is no misspelled word. */
function meantIn(members: readonly (readonly Issue[])[], value: unknown): Issue | undefined {
  if (value === undefined) return undefined
  const isOther = ({ code, path }: Issue) => path.length === 0 && code === 'invalid_value'
  const [first] = members
  if (typeof value !== 'object' || value === null) return first?.[0]
  return members.find((issues) => !issues.some(isOther))?.[0]
}

/** A word was expected, and an object would have been accepted, too. */
function orObject(issue: Issue, { code }: Issue): string {
  if (issue.code !== 'invalid_union' || code !== 'invalid_value') return ''
  const wantsObject = (one: Issue) => one.code === 'invalid_type' && one.expected === 'object' && one.path.length === 0
  return issue.errors.some((issues) => issues.some(wantsObject)) ? ' or an object' : ''
}

const maxNamed = 3

function describeUnknown(location: JsonLocation, keys: readonly string[]): string {
  const named = keys.slice(0, maxNamed).map((key) => showLocation([...location, key]))
  const others = keys.length > maxNamed ? ' and others' : ''
  return keys.length === 1 ? `${named[0]} is not a known field` : `${named.join(', ')}${others} are not known fields`
}

const valueAt = (value: unknown, path: JsonLocation): unknown =>
  path.reduce<unknown>((holder, part) => (holder as Record<string | number, unknown> | undefined)?.[part], value)

function describeProblem(issue: Issue, value: unknown): string {
  if (value === undefined) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? issue.expected}${value === null ? ', not null' : ''}`
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((word) => JSON.stringify(word)).join(', ')}`
    case 'too_small':
      return `must ${describeBound(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}`
    case 'too_big':
      return `must ${describeBound(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}`
    case 'invalid_format':
      if (issue.message.startsWith('must ')) return issue.message
      return `must match ${'pattern' in issue ? issue.pattern : issue.format}`
    case 'invalid_key':
      return issue.issues[0] ? describeProblem(issue.issues[0], value) : 'is invalid'
    case 'custom':
      return issue.message
    default:
      return 'is invalid'
  }
}

const typeNames: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
}

const units: Record<string, string> = { array: 'item', string: 'character' }

function describeBound(origin: string, comparison: string, bound: number | bigint): string {
  const unit = units[origin]
  return unit === undefined
    ? `be ${comparison} ${bound}`
    : `have ${comparison} ${bound} ${unit}${bound === 1 ? '' : 's'}`
}
