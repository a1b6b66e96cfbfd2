// Parses a query string strictly: unknown, repeated and empty parameters are refused by name.
import type { ReasonCode } from '@runwright/contract'
import type { z } from 'zod'
import { ServiceError } from '../../../domain/service-error.ts'

export function parseQuery<Q extends z.ZodType>(schema: Q, queryText: string, reason: ReasonCode): z.infer<Q> {
  const values: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(queryText)) {
    if (name in values) throw new ServiceError(reason, repeated(name))
    if (value === '')
      throw new ServiceError(reason, `Query parameter ${quoted(name)} is empty. Give it a value or omit it.`)
    values[name] = value
  }
  const parsed = schema.safeParse({ ...values })
  if (parsed.success) return parsed.data
  throw new ServiceError(reason, describe(parsed.error.issues))
}

function describe([issue]: readonly z.core.$ZodIssue[]): string {
  if (!issue) return 'The query is not valid.'
  if (issue.code === 'unrecognized_keys') return `Unknown query parameter ${issue.keys.map(quoted).join(', ')}.`
  return `Query parameter ${quoted(String(issue.path[0] ?? ''))}: ${lowerFirst(issue.message)}.`
}

const repeated = (name: string): string =>
  `Query parameter ${quoted(name)} occurs more than once. Send it once; a list has commas between its values.`

const quoted = (name: string): string => `"${name.slice(0, 64)}"`
const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/** The part after the question mark. */
export function queryTextOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}
