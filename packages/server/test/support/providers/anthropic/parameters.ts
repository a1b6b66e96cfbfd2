// What the Messages API refuses although each parameter by itself is well formed.
import { isObject } from '../json.ts'
import { Refusal } from '../refusal.ts'
import type { JsonObject } from '../script.ts'
import { schemaProblem } from '../valid-schema.ts'
import { type MessagesRequest, thinks } from './request-shape.ts'

export function checkParameters(request: MessagesRequest): void {
  checkThinking(request)
  checkTools(request)
  checkCacheMarks(request)
  const { temperature, top_p, stop_sequences = [], output_config } = request
  if (temperature !== undefined && top_p !== undefined) {
    throw new Refusal('`temperature` and `top_p` cannot both be specified for this model. Please use only one.')
  }
  if (stop_sequences.some((stop) => stop.trim() === '')) {
    throw new Refusal('stop_sequences: each stop sequence must contain non-whitespace')
  }
  if (output_config?.format) checkStrictSchema(output_config.format.schema, 'output_config.format.schema')
}

function checkThinking(request: MessagesRequest): void {
  const { thinking, max_tokens, temperature = 1, top_k, tool_choice } = request
  if (!thinks(request)) return
  if (thinking?.type === 'enabled' && thinking.budget_tokens >= max_tokens) {
    throw new Refusal('`max_tokens` must be greater than `thinking.budget_tokens`.')
  }
  if (temperature !== 1) throw new Refusal('`temperature` may only be set to 1 when thinking is enabled.')
  if (top_k !== undefined) throw new Refusal('`top_k` must be unset when thinking is enabled.')
  if (tool_choice?.type === 'any' || tool_choice?.type === 'tool') {
    throw new Refusal('Thinking may not be enabled when tool_choice forces tool use.')
  }
}

function checkTools({ tools = [], tool_choice: choice }: MessagesRequest): void {
  if (choice !== undefined && tools.length === 0) {
    throw new Refusal('tool_choice may only be specified while providing tools.')
  }
  if (choice?.type === 'tool' && !tools.some(({ name }) => name === choice.name)) {
    throw new Refusal(`Tool '${choice.name}' not found in provided tools`)
  }
  for (const [at, { name, input_schema, strict }] of tools.entries()) {
    const path = `tools.${at}.custom.input_schema`
    if (tools.findIndex((tool) => tool.name === name) !== at) throw new Refusal('tools: Tool names must be unique.')
    if (['oneOf', 'allOf', 'anyOf'].some((keyword) => input_schema[keyword] !== undefined)) {
      throw new Refusal(`${path}: input_schema does not support oneOf, allOf, or anyOf at the top level`)
    }
    if (schemaProblem(input_schema) !== undefined) {
      throw new Refusal(`${path}: JSON schema is invalid. It must match JSON Schema draft 2020-12.`)
    }
    if (strict) checkStrictSchema(input_schema, path)
  }
}

// From the structured outputs guide: these limits are not enforced while the model writes, so they are refused.
const refusedKeywords = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
  'oneOf',
  'not',
  'if',
  'patternProperties',
  'propertyNames',
]

function checkStrictSchema(schema: unknown, path: string): void {
  if (Array.isArray(schema)) for (const each of schema) checkStrictSchema(each, path)
  if (!isObject(schema)) return
  const refused = refusedKeywords.find((keyword) => schema[keyword] !== undefined)
  if (refused !== undefined)
    throw new Refusal(`${path}: For '${schema.type}' type, property '${refused}' is not supported`)
  if (schema.type === 'object' && schema.additionalProperties !== false) {
    throw new Refusal(`${path}: For 'object' type, 'additionalProperties' must be explicitly set to false`)
  }
  for (const keyword of ['properties', '$defs', 'definitions']) {
    const named = schema[keyword]
    if (isObject(named)) for (const child of Object.values(named)) checkStrictSchema(child, path)
  }
  for (const keyword of ['items', 'anyOf', 'allOf']) checkStrictSchema(schema[keyword], path)
}

const mostCacheMarks = 4

function checkCacheMarks({ tools, system, messages }: MessagesRequest): void {
  const marks = [...cacheMarks([tools, system, messages])]
  if (marks.length > mostCacheMarks) {
    throw new Refusal(`A maximum of 4 blocks with cache_control may be provided. Found ${marks.length}.`)
  }
  const short = marks.findIndex(({ ttl = '5m' }) => ttl === '5m')
  if (short !== -1 && marks.slice(short).some(({ ttl }) => ttl === '1h')) {
    throw new Refusal("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.")
  }
}

function* cacheMarks(value: unknown): Generator<JsonObject> {
  if (Array.isArray(value)) for (const each of value) yield* cacheMarks(each)
  if (!isObject(value)) return
  if (isObject(value.cache_control)) {
    if (value.text === '') throw new Refusal('cache_control cannot be set for empty text blocks')
    yield value.cache_control
  }
  yield* cacheMarks(value.content)
}
