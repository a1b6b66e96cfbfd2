// What chat completions refuse although each parameter by itself is well formed.
import { isReasoningModel } from '../openai-models.ts'
import { Refusal } from '../refusal.ts'
import { functionSchemaProblem, strictSchemaProblem } from '../strict-schema.ts'
import type { ChatRequest } from './request-shape.ts'

export function checkParameters(request: ChatRequest): void {
  checkDependencies(request)
  if (isReasoningModel(request.model)) checkReasoningModel(request)
  else if (request.reasoning_effort != null) unsupported('reasoning_effort')
  checkTools(request)
  checkResponseFormat(request)
}

const unsupported = (param: string, advice = ''): never => {
  const message = `Unsupported parameter: '${param}' is not supported with this model.${advice}`
  throw new Refusal(message, { code: 'unsupported_parameter', param })
}

function checkDependencies({ tools, tool_choice, parallel_tool_calls, stream, stream_options, ...rest }: ChatRequest) {
  const needsTools = tool_choice !== undefined ? 'tool_choice' : 'parallel_tool_calls'
  if (tools === undefined && (tool_choice !== undefined || parallel_tool_calls !== undefined)) {
    throw new Refusal(`'${needsTools}' is only allowed when 'tools' are specified.`, { param: needsTools })
  }
  if (stream_options != null && stream !== true) {
    throw new Refusal("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: 'stream_options',
    })
  }
  if (rest.max_tokens != null && rest.max_completion_tokens != null) {
    throw new Refusal("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.", {
      code: 'invalid_parameter_combination',
    })
  }
}

function checkReasoningModel({ max_tokens, temperature, top_p, stop, ...rest }: ChatRequest): void {
  if (max_tokens != null) unsupported('max_tokens', " Use 'max_completion_tokens' instead.")
  if (stop != null) unsupported('stop')
  for (const param of ['frequency_penalty', 'presence_penalty', 'logprobs', 'logit_bias'] as const) {
    if (rest[param] != null) unsupported(param)
  }
  for (const [param, value] of Object.entries({ temperature, top_p })) {
    if (value == null || value === 1) continue
    throw new Refusal(
      `Unsupported value: '${param}' does not support ${value} with this model. Only the default (1) value is supported.`,
      { code: 'unsupported_value', param },
    )
  }
}

function checkTools({ tools = [], tool_choice }: ChatRequest): void {
  for (const [at, { function: tool }] of tools.entries()) {
    const { name, parameters, strict } = tool
    if (tools.findIndex((each) => each.function.name === name) !== at) {
      throw new Refusal(`Tool names must be unique: '${name}'.`, { param: `tools[${at}].function.name` })
    }
    if (parameters === undefined) continue
    const problem = strict ? strictSchemaProblem(parameters) : functionSchemaProblem(parameters)
    if (problem === undefined) continue
    throw new Refusal(`Invalid schema for function '${name}': ${problem}`, {
      code: 'invalid_function_parameters',
      param: `tools[${at}].function.parameters`,
    })
  }
  const chosen = typeof tool_choice === 'object' ? tool_choice.function.name : undefined
  if (chosen !== undefined && !tools.some((tool) => tool.function.name === chosen)) {
    throw new Refusal(`Tool choice '${chosen}' not found in 'tools' parameter.`, { param: 'tool_choice' })
  }
}

function checkResponseFormat({ response_format: format, messages }: ChatRequest): void {
  if (format?.type === 'json_object' && !/json/i.test(JSON.stringify(messages.map(({ content }) => content)))) {
    const rule = "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
    throw new Refusal(rule, { param: 'messages' })
  }
  if (format?.type !== 'json_schema' || format.json_schema.strict !== true) return
  const problem = strictSchemaProblem(format.json_schema.schema)
  if (problem === undefined) return
  throw new Refusal(`Invalid schema for response_format '${format.json_schema.name}': ${problem}`, {
    param: 'response_format',
  })
}
