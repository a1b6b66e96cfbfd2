// What the Gemini API refuses although each parameter by itself is well formed.
import { Refusal } from '../refusal.ts'
import type { JsonObject } from '../script.ts'
import { schemaProblem } from '../valid-schema.ts'
import { declarationsOf, type GeminiRequest, isGemini3 } from './request-shape.ts'
import { checkSchema } from './schema.ts'

export function checkParameters(request: GeminiRequest, model: string): void {
  checkDeclarations(request)
  checkOutput(request, model)
  const { thinkingBudget, thinkingLevel } = request.generationConfig?.thinkingConfig ?? {}
  if (thinkingBudget !== undefined && thinkingLevel !== undefined) {
    throw new Refusal('You can only set only one of thinking budget and thinking level.')
  }
  if (thinkingLevel !== undefined && !isGemini3(model)) {
    throw new Refusal('Thinking level is not supported for this model.')
  }
}

function checkDeclarations(request: GeminiRequest): void {
  const declarations = declarationsOf(request)
  for (const [at, { name, parameters, parametersJsonSchema }] of declarations.entries()) {
    if (declarations.findIndex((each) => each.name === name) !== at) {
      throw new Refusal(`Duplicate function declaration found: ${name}`)
    }
    const path = `tools[0].function_declarations[${at}].parameters`
    if (parameters !== undefined && parametersJsonSchema !== undefined) {
      throw new Refusal(`${path}: only one of parameters and parameters_json_schema may be set.`)
    }
    if (parameters !== undefined) checkSchema(parameters, path)
    if (parametersJsonSchema !== undefined) checkJsonSchema(parametersJsonSchema, `${path}_json_schema`)
  }
  const { allowedFunctionNames = [], mode } = request.toolConfig?.functionCallingConfig ?? {}
  const unknown = allowedFunctionNames.find((name) => !declarations.some((each) => each.name === name))
  if (unknown !== undefined) throw new Refusal(`allowed_function_names: ${unknown} is not a declared function.`)
  if (allowedFunctionNames.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED') {
    throw new Refusal('allowed_function_names should only be set when the mode is ANY or VALIDATED.')
  }
  if (mode === 'ANY' && declarations.length === 0) {
    throw new Refusal('Function calling config is set without function_declarations.')
  }
}

function checkOutput(request: GeminiRequest, model: string): void {
  const { responseMimeType, responseSchema, responseJsonSchema } = request.generationConfig ?? {}
  if (responseSchema !== undefined && responseJsonSchema !== undefined) {
    throw new Refusal('response_schema and response_json_schema cannot both be set.')
  }
  const hasSchema = responseSchema !== undefined || responseJsonSchema !== undefined
  if (hasSchema && (responseMimeType ?? 'text/plain') === 'text/plain') {
    throw new Refusal('response_schema is only allowed with the response mime type application/json.')
  }
  if (responseMimeType === 'application/json' && declarationsOf(request).length > 0 && !isGemini3(model)) {
    throw new Refusal("Function calling with a response mime type: 'application/json' is unsupported")
  }
  if (responseSchema !== undefined) checkSchema(responseSchema, 'generation_config.response_schema')
  if (responseJsonSchema !== undefined) checkJsonSchema(responseJsonSchema, 'generation_config.response_json_schema')
}

function checkJsonSchema(schema: JsonObject, path: string): void {
  const problem = schemaProblem(schema)
  if (problem !== undefined) throw new Refusal(`${path}: invalid JSON Schema: ${problem}`)
}
