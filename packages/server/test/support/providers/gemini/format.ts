// `generateContent` and `streamGenerateContent` of the Gemini API.
import { Refusal } from '../refusal.ts'
import { shapeProblem } from '../shape.ts'
import { eventText } from '../sse.ts'
import type { Answer, IncomingCall, PlainAnswer, ProviderOptions, WireFormat } from '../wire-format.ts'
import { writeAnswer } from './answer.ts'
import { checkConversation } from './conversation.ts'
import { checkKey, failureBody, shapeRefusal, writeFailure, writeRefusal } from './errors.ts'
import { checkFiles } from './files.ts'
import { toNeutral } from './neutral.ts'
import { checkParameters } from './parameters.ts'
import { type GeminiRequest, geminiRequest } from './request-shape.ts'
import { SignatureMemory } from './signature-memory.ts'

export function geminiFormat(options: ProviderOptions): WireFormat {
  const memory = new SignatureMemory()
  return {
    basePath: '/v1beta',
    checkKey: (call) => checkKey(call, options),
    answerAside: (call) => modelList(call, options),
    isModelCall: (call) => call.method === 'POST' && target(call) !== undefined,
    read: (call, body) => {
      const { model = '', method } = target(call) ?? {}
      if (options.models !== undefined && !options.models.includes(model)) {
        throw new Refusal(`models/${model} is not found for API version v1beta.`, { status: 404 })
      }
      const problem = shapeProblem(geminiRequest, body)
      if (problem !== undefined) throw shapeRefusal(problem)
      const request = body as GeminiRequest
      checkParameters(request, model)
      checkConversation(request)
      checkFiles(request, model, options)
      memory.check(request, model)
      return toNeutral(request, model, method === 'streamGenerateContent')
    },
    write: (reply, request) => {
      const { answer, parts } = writeAnswer(reply, request)
      memory.remember(parts)
      return /[?&]alt=sse(&|$)/.test(request.url) ? answer : asArray(answer)
    },
    writeFailure,
    writeFailureEvent: (failure) => eventText(failureBody(failure)),
    writeRefusal,
  }
}

function target({ url }: IncomingCall): { model: string; method: string } | undefined {
  const [, model, method] =
    /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent)$/.exec(url.pathname) ?? []
  return model === undefined || method === undefined ? undefined : { model: decodeURIComponent(model), method }
}

function modelList(
  { method, url }: IncomingCall,
  { models = ['mock-model'] }: ProviderOptions,
): PlainAnswer | undefined {
  if (method !== 'GET' || url.pathname !== '/v1beta/models') return undefined
  const supportedGenerationMethods = ['generateContent', 'streamGenerateContent']
  return {
    status: 200,
    body: { models: models.map((model) => ({ name: `models/${model}`, supportedGenerationMethods })) },
  }
}

/** Without `alt=sse` a stream is one JSON array, sent element by element. */
function asArray({ json, events }: Answer): Answer {
  const last = events.length - 1
  const elements = events.map((event, at) => {
    const data = event.text.slice('data: '.length).trimEnd()
    return { ...event, text: `${at === 0 ? '[' : ',\r\n'}${data}${at === last ? ']' : ''}` }
  })
  return { json, events: elements, contentType: 'application/json; charset=UTF-8' }
}
