// The definition of an operator's own tool: its schema, and its conversion to the tool port.
import { policyRules, toolEffects } from '@runwright/contract'
import { z } from 'zod'
import { toWireId } from '../../runtime/ids.ts'
import type { SchemaThreads } from '../../runtime/schemas/schema-threads.ts'
import {
  type Exposure,
  type Tool,
  type ToolCallContext,
  ToolDenied,
  type ToolEffect,
  withoutEffect,
} from '../port/tool.ts'
import { readInputSchema } from './input-schema.ts'

const defaultTimeoutSeconds = 60

const isFunction = (value: unknown): boolean => typeof value === 'function'
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
const isEffect = (value: unknown): value is ToolEffect => (toolEffects as readonly unknown[]).includes(value)

const exposureSchema = z.strictObject({
  readsPrivate: z.boolean().exactOptional(),
  takesUntrusted: z.boolean().exactOptional(),
  sendsOut: z.boolean().exactOptional(),
})

/** An effect, or a function that returns one for the input. */
const effectSchema = z.custom<ToolEffect | ((input: unknown) => ToolEffect)>(
  (value) => isEffect(value) || isFunction(value),
  { error: 'must be "read", "idempotent", "once" or a function' },
)

export const definitionSchema = z.strictObject({
  // No dot: it marks tools of MCP servers.
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  description: z.string().min(1),
  input: z.custom<object>(isObject, { error: 'must be a JSON Schema or a zod schema' }),
  effect: effectSchema,
  timeoutSeconds: z.number().positive().max(86_400).optional(),
  policy: z.enum(policyRules).optional(),
  exposure: z
    .custom<Exposure | ((input: unknown) => Exposure)>(
      (value) => isFunction(value) || exposureSchema.safeParse(value).success,
      { error: 'must be a function or an object with readsPrivate, takesUntrusted and sendsOut as true or false' },
    )
    .optional(),
  /** Whatever `run` throws, it throws before the call has an effect. */
  errors: z.enum(['before_effect']).optional(),
  run: z.custom<(input: unknown, context: ToolCallContext) => unknown>(isFunction, { error: 'must be a function' }),
})

export type ToolDefinition = z.infer<typeof definitionSchema>

/** A tool that an operator has written. */
export interface OwnTool extends Tool {
  /** The name of its module. */
  readonly file?: string
}

/** Calls `definition.run` as a method, so that it can use `this`. Rejects when the input schema is invalid. */
export async function toTool(
  definition: ToolDefinition,
  schemas: Pick<SchemaThreads, 'compile' | 'check'>,
): Promise<Tool> {
  const { name, description, input, policy, timeoutSeconds = defaultTimeoutSeconds } = definition
  return {
    name,
    description,
    ...(await readInputSchema(input, { schemas, name })),
    policy,
    timeoutSeconds,
    effectOf: (given) => effectOf(definition, given),
    exposureOf: (given) => exposureOf(definition, given),
    dependsOnInput: (['effect', 'exposure'] as const).filter((part) => typeof definition[part] === 'function'),
    run: (given, context) => run(definition, given, context),
  }
}

function effectOf(definition: ToolDefinition, input: unknown): ToolEffect {
  const effect = typeof definition.effect === 'function' ? definition.effect(input) : definition.effect
  if (!isEffect(effect))
    throw new Error(`The function effect of the tool ${definition.name} must return "read", "idempotent" or "once".`)
  return effect
}

/** If the function throws or returns something else, the call counts as touching everything. */
function exposureOf({ exposure = {} }: ToolDefinition, input: unknown): Exposure {
  if (typeof exposure !== 'function') return exposure
  try {
    return exposureSchema.parse(exposure(input))
  } catch {
    return { readsPrivate: true, takesUntrusted: true, sendsOut: true }
  }
}

/** Passes the run id with its prefix, as in the API. */
async function run(definition: ToolDefinition, input: unknown, context: ToolCallContext): Promise<unknown> {
  try {
    return await definition.run(input, { ...context, runId: toWireId('run', context.runId) })
  } catch (error) {
    throw asRefusal(error) ?? (definition.errors === 'before_effect' ? withoutEffect(asError(error)) : error)
  }
}

/** A tool may throw a text. */
const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

const reasonCode = /^[a-z][a-z0-9_]{0,63}$/

function asRefusal(error: unknown): ToolDenied | undefined {
  if (!(error instanceof Error) || !('policyReasonCode' in error)) return undefined
  const code = String(error.policyReasonCode)
  return reasonCode.test(code) ? new ToolDenied(code, error.message) : undefined
}
