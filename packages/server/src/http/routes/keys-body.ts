// Reads the body of a key request. No body counts as an empty object. Errors name the faulty field.
import { describeIssue, type JsonLocation, showLocation } from '@runwright/contract'
import type { z } from 'zod'
import { parseStrictJson, smallSize } from '../../domain/json/strict-json.ts'
import { ServiceError } from '../../domain/service-error.ts'

// A valid body has two levels. Up to this depth, a nested value is reported by the name of its field.
const maxDepth = 8

export function readKeyBody<S extends z.ZodType>(schema: S, text: string | undefined): z.infer<S> {
  if (text === undefined || text === '') return checkKeyRequest(schema, {})
  const json = parseStrictJson(text, { maxDepth, size: smallSize })
  if (!json.ok) throw new ServiceError('KEY_PAYLOAD_INVALID', json.problem)
  return checkKeyRequest(schema, json.value)
}

export function checkKeyRequest<S extends z.ZodType>(schema: S, value: unknown): z.infer<S> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new ServiceError('KEY_PAYLOAD_INVALID', describe(parsed.error, value))
}

function describe(error: z.ZodError, value: unknown): string {
  const issue = error.issues[0]
  // The message in the contract says more than the pattern of the format.
  if (issue?.code === 'invalid_format') return `${showLocation(issue.path as JsonLocation)} ${issue.message}`
  return describeIssue({ error, value })
}
