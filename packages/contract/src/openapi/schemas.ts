// JSON Schemas of the wire shapes: made by zod, with what `published` asks for put in place and the noise taken out.
import { z } from 'zod'

export type JsonObject = Readonly<Record<string, unknown>>

type Override = NonNullable<Parameters<typeof z.toJSONSchema<z.ZodType>>[1]>['override']
type OverrideContext = Parameters<NonNullable<Override>>[0]
type Draft = Record<string, unknown>

const replaceBy = (draft: Draft, published: JsonObject, description: unknown) => {
  for (const key of Object.keys(draft)) delete draft[key]
  Object.assign(draft, published)
  if (description !== undefined) draft.description = description
}

/** Answers may grow: only an object that is strict by declaration stays closed. */
const openUp = (draft: Draft, zodSchema: OverrideContext['zodSchema']) => {
  const { def } = zodSchema._zod
  if (def.type === 'object' && !def.catchall) delete draft.additionalProperties
}

/** Bounds of safe integers, the pattern beside a format and "keys are strings" tell a reader nothing. */
const dropNoise = (draft: Draft) => {
  if (draft.minimum === Number.MIN_SAFE_INTEGER) delete draft.minimum
  if (draft.maximum === Number.MAX_SAFE_INTEGER) delete draft.maximum
  if (draft.format === 'date-time') delete draft.pattern
  if (JSON.stringify(draft.propertyNames) === '{"type":"string"}') delete draft.propertyNames
}

const override = ({ zodSchema, jsonSchema }: OverrideContext) => {
  const draft = jsonSchema as Draft
  const meta = z.globalRegistry.get(zodSchema)
  if (meta?.published) replaceBy(draft, meta.published as JsonObject, meta.description)
  openUp(draft, zodSchema)
  dropNoise(draft)
}

/** `anyOf` of one typed schema and null reads better as that schema with two types. */
const mergeNull = (value: unknown): unknown => {
  const { anyOf, ...draft } = (value ?? {}) as Draft
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1].type !== 'null') return value
  const schema: Draft = anyOf[0]
  if (typeof schema.type !== 'string' || 'enum' in schema || 'const' in schema) return value
  return { ...schema, ...draft, type: [schema.type, 'null'] }
}

export interface JsonSchemas {
  /** By the names given: a reference for a schema with an id, else the schema itself. */
  readonly byName: Readonly<Record<string, JsonObject>>
  /** Every schema with an id that is reachable from them. */
  readonly components: Readonly<Record<string, JsonObject>>
}

/** All at once, so that two schemas that share an id are found out. */
export const toJsonSchemas = (schemas: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output'): JsonSchemas => {
  const { properties = {}, $defs = {} } = z.toJSONSchema(z.object(schemas), { io, override })
  const printed = JSON.stringify({ byName: properties, components: $defs })
  return JSON.parse(printed.replaceAll('"#/$defs/', '"#/components/schemas/'), (_key, value) => mergeNull(value))
}
