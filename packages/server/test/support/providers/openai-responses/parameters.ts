// What the Responses API refuses although each parameter by itself is well formed.
import { isReasoningModel } from '../openai-models.ts'
import { Refusal } from '../refusal.ts'
import { functionSchemaProblem, strictSchemaProblem } from '../strict-schema.ts'
import type { ResponsesRequest } from './request-shape.ts'

export function checkParameters(request: ResponsesRequest): void {
  if (isReasoningModel(request.model)) checkReasoningModel(request)
  else checkOtherModel(request)
  checkTools(request)
  checkFormat(request)
  if (request.stream_options != null && request.stream !== true) {
    throw new Refusal("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: 'stream_options',
    })
  }
}

const unsupported = (param: string): never => {
  const message = `Unsupported parameter: '${param}' is not supported with this model.`
  throw new Refusal(message, { code: 'unsupported_parameter', param })
}

function checkReasoningModel({ temperature, top_p, top_logprobs }: ResponsesRequest): void {
  if (temperature != null) unsupported('temperature')
  if (top_p != null) unsupported('top_p')
  if (top_logprobs != null) unsupported('top_logprobs')
}

function checkOtherModel({ reasoning, include }: ResponsesRequest): void {
  if (reasoning?.effort != null) unsupported('reasoning.effort')
  if (reasoning?.summary != null) unsupported('reasoning.summary')
  if (include?.includes('reasoning.encrypted_content')) {
    throw new Refusal('Encrypted content is not supported with this model.', { param: 'include' })
  }
}

function checkTools({ tools = [], tool_choice: choice }: ResponsesRequest): void {
  for (const [at, { name, parameters, strict }] of tools.entries()) {
    if (tools.findIndex((tool) => tool.name === name) !== at) {
      throw new Refusal(`Tool names must be unique: '${name}'.`, { param: `tools[${at}].name` })
    }
    const problem = parameters && (strict ? strictSchemaProblem(parameters) : functionSchemaProblem(parameters))
    if (!problem) continue
    throw new Refusal(`Invalid schema for function '${name}': ${problem}`, {
      code: 'invalid_function_parameters',
      param: `tools[${at}].parameters`,
    })
  }
  const chosen = typeof choice === 'object' ? choice.name : undefined
  if (chosen !== undefined && !tools.some(({ name }) => name === chosen)) {
    throw new Refusal(`Tool choice '${chosen}' not found in 'tools' parameter.`, { param: 'tool_choice' })
  }
  if (choice === 'required' && tools.length === 0) {
    throw new Refusal("Tool choice 'required' must be specified with 'tools' parameter.", { param: 'tool_choice' })
  }
}

function checkFormat({ text, input, instructions }: ResponsesRequest): void {
  const format = text?.format
  if (format?.type === 'json_object' && !/json/i.test(JSON.stringify([input, instructions]))) {
    const rule = "must contain the word 'json' in some form to use 'text.format' of type 'json_object'."
    throw new Refusal(`Response input messages ${rule}`, { param: 'input' })
  }
  if (format?.type !== 'json_schema' || format.strict !== true) return
  const problem = strictSchemaProblem(format.schema)
  if (problem === undefined) return
  throw new Refusal(`Invalid schema for response_format '${format.name}': ${problem}`, {
    code: 'invalid_json_schema',
    param: 'text.format.schema',
  })
}
