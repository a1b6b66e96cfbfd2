// What a case checks, as it is written in the file. An entry of `checks` has exactly one of these fields.
import { runStatuses, showLocation, toolOutcomes } from '@runwright/contract'
import { z } from 'zod'
import { isSchemaProblem, readOutputSchema } from '../../domain/json/output-schema.ts'

const isJson = (value: unknown): boolean => {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return value === null || ['string', 'boolean'].includes(typeof value)
  return Object.values(value).every(isJson)
}

// YAML has values that JSON lacks, such as infinity, which would silently become null.
export const json = z.custom<z.core.util.JSONType>(isJson, { error: 'must be JSON, which has no infinite numbers' })
export const jsonObject = z.record(z.string(), json)

/** A run that waits for an answer that the case does not have. */
export const awaitingInput = 'awaiting_input'

// Both are only measured here, and compiled later, on another thread.

function patternProblem(pattern: string): string | undefined {
  const read = readOutputSchema({ pattern })
  return isSchemaProblem(read) ? `must be a regular expression in RE2 syntax: it ${read.problem}` : undefined
}

function schemaProblem(schema: unknown): string | undefined {
  const read = readOutputSchema(schema)
  if (!isSchemaProblem(read)) return undefined
  return read.at.length === 0 ? read.problem : `cannot be used: ${showLocation(read.at)} ${read.problem}`
}

const checkedBy =
  <T>(problemOf: (value: T) => string | undefined) =>
  (value: T, context: z.RefinementCtx<T>): void => {
    const message = problemOf(value)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  }

const callFields = {
  name: z.string().min(1),
  with: jsonObject.exactOptional(),
  outcome: z.enum(toolOutcomes).exactOptional(),
}

export const actionSchema = z.strictObject({ name: z.string().min(1), with: jsonObject.exactOptional() })

const pointer = z.string().regex(/^(\/.*)?$/, { error: 'must be a JSON Pointer, such as /orders/1/status' })

export const checkFields = {
  status: z.enum([...runStatuses, awaitingInput]).exactOptional(),
  equals: json.exactOptional(),
  contains: z.string().min(1).exactOptional(),
  matches: z.string().superRefine(checkedBy(patternProblem)).exactOptional(),
  schema: z.record(z.string(), z.unknown()).superRefine(checkedBy(schemaProblem)).exactOptional(),
  judged: z.strictObject({ rubric: z.string().min(1), model: z.string().min(1).exactOptional() }).exactOptional(),
  called: z.strictObject({ ...callFields, times: z.int().min(1).exactOptional() }).exactOptional(),
  not_called: z.strictObject(callFields).exactOptional(),
  state: z.record(pointer, json).exactOptional(),
  state_after: z.array(actionSchema).exactOptional(),
}

const oneOf = `must have exactly one of ${Object.keys(checkFields).join(', ')}`

export const checkSchema = z
  .strictObject(checkFields)
  .refine((check) => Object.keys(check).length === 1, { error: oneOf, abort: true })

export type Check = z.infer<typeof checkSchema>
export type CallCheck = NonNullable<Check['called']>
export type Action = z.infer<typeof actionSchema>
