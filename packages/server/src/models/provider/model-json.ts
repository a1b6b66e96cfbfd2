// JSON that a model wrote: arguments of tool calls and structured outputs. It may be broken, too deep, or not what was asked for.
import { maxJsonDepth } from '@runwright/contract'
import { z } from 'zod'
import { encodeJson } from '../../store/postgres/encode-json.ts'

type JsonSchema = Readonly<Record<string, unknown>>

export type ReadOutput =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string }

/** Arguments that are no JSON stay text: the tool refuses them in words that the model sees. */
export function readArguments(text: string): unknown {
  if (text.trim() === '') return {}
  const parsed = parseStorable(text)
  return parsed === undefined ? text : parsed.value
}

export function readOutput(text: string, schema: JsonSchema): ReadOutput {
  const parsed = parseStorable(withoutFence(text))
  if (parsed === undefined) return { ok: false, problem: 'it is not JSON' }
  const checked = validatorOf(schema).safeParse(parsed.value)
  if (checked.success) return { ok: true, value: parsed.value }
  return { ok: false, problem: describeIssue(checked.error) }
}

/** Through our own encoder and back, so that nothing is left in it that could not be stored. */
function parseStorable(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return nestsDeeperThan(maxJsonDepth, value) ? undefined : { value: JSON.parse(encodeJson(value)) }
  } catch {
    return undefined
  }
}

const nestsDeeperThan = (levels: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => nestsDeeperThan(levels - 1, inner)))

/** Models like to wrap JSON in a Markdown code block. */
function withoutFence(text: string): string {
  const trimmed = text.trim()
  if (!trimmed.startsWith('```') || !trimmed.endsWith('```')) return trimmed
  return trimmed.slice(3, -3).replace(/^json\b/i, '')
}

const validators = new WeakMap<JsonSchema, z.ZodType>()

function validatorOf(schema: JsonSchema): z.ZodType {
  const validator = validators.get(schema) ?? z.fromJSONSchema(schema)
  validators.set(schema, validator)
  return validator
}

function describeIssue({ issues: [issue] }: z.ZodError): string {
  const place = issue?.path.join('.')
  return `${place ? `${place}: ` : ''}${issue?.message ?? 'it does not fit'}`
}
