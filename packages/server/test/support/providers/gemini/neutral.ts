// A Gemini request in the words that scripts and tests use.
import { withFiles } from '../files.ts'
import type { JsonObject, NeutralMessage, NeutralParameters } from '../script.ts'
import type { ReadRequest } from '../wire-format.ts'
import { filesOf } from './files.ts'
import { type Content, callsOf, declarationsOf, type GeminiRequest, responsesOf } from './request-shape.ts'

export function toNeutral(request: GeminiRequest, model: string, stream: boolean): ReadRequest {
  const config = request.generationConfig ?? {}
  return {
    model,
    stream,
    system: (request.systemInstruction?.parts ?? []).map(({ text }) => text).join('\n'),
    messages: request.contents.flatMap(toMessages),
    tools: declarationsOf(request).map(({ name, description, parameters, parametersJsonSchema }) => ({
      name,
      description,
      inputSchema: parameters ?? parametersJsonSchema,
      strict: false,
    })),
    outputSchema: config.responseSchema ?? config.responseJsonSchema,
    parameters: toParameters(request),
    body: request as unknown as JsonObject,
  }
}

function toMessages(content: Content): NeutralMessage[] {
  const text = content.parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join('')
  const toolCalls = callsOf(content).map(({ id, name, args = {} }) => ({ id, name, args }))
  const toolResults = responsesOf(content).map(({ id, name, response }) => ({
    id,
    name,
    text: resultText(response),
    failed: undefined,
  }))
  const results: NeutralMessage = { from: 'tool', text: '', toolCalls: [], toolResults }
  const from = content.role === 'model' ? 'assistant' : 'user'
  const words: NeutralMessage = { from, text, toolCalls, toolResults: [], ...withFiles(filesOf(content)) }
  if (toolResults.length === 0) return [words]
  return text === '' ? [results] : [results, words]
}

/** A response is an object; clients put a text under one of these names. */
function resultText(response: JsonObject): string {
  const told = response.content ?? response.output ?? response.result ?? response.error ?? response
  return typeof told === 'string' ? told : JSON.stringify(told)
}

function toParameters({ generationConfig = {}, toolConfig, serviceTier }: GeminiRequest): NeutralParameters {
  const { mode, allowedFunctionNames = [] } = toolConfig?.functionCallingConfig ?? {}
  const words = { AUTO: 'auto', ANY: 'required', NONE: 'none', VALIDATED: 'auto' }
  const { maxOutputTokens, temperature, topP, stopSequences, seed, thinkingConfig } = generationConfig
  return {
    maxOutputTokens,
    temperature,
    topP,
    stop: stopSequences,
    seed,
    reasoningEffort: thinkingConfig?.thinkingLevel?.toLowerCase(),
    serviceTier,
    toolChoice: mode === 'ANY' && allowedFunctionNames.length === 1 ? allowedFunctionNames[0] : mode && words[mode],
  }
}
