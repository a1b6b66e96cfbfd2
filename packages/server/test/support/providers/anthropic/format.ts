// `POST /v1/messages` of Anthropic.
import { Refusal } from '../refusal.ts'
import { shapeProblem } from '../shape.ts'
import { eventText } from '../sse.ts'
import type { ProviderOptions, WireFormat } from '../wire-format.ts'
import { writeAnswer } from './answer.ts'
import { checkConversation } from './conversation.ts'
import { checkHeaders, failureBody, shapeRefusal, writeFailure, writeRefusal } from './errors.ts'
import { checkFiles } from './files.ts'
import { toNeutral } from './neutral.ts'
import { checkParameters } from './parameters.ts'
import { type MessagesRequest, messagesRequest } from './request-shape.ts'
import { ThinkingMemory } from './thinking-memory.ts'

export function anthropicFormat(options: ProviderOptions): WireFormat {
  const memory = new ThinkingMemory()
  return {
    basePath: '/v1',
    checkKey: (call) => checkHeaders(call, options),
    answerAside: () => undefined,
    isModelCall: ({ method, url }) => method === 'POST' && url.pathname === '/v1/messages',
    read: (_call, body) => {
      const problem = shapeProblem(messagesRequest, body)
      if (problem !== undefined) throw shapeRefusal(problem)
      const request = body as MessagesRequest
      checkModel(request.model, options)
      checkParameters(request)
      checkConversation(request)
      checkFiles(request, options)
      memory.check(request)
      return toNeutral(request)
    },
    write: (reply, request) => {
      const { answer, thinking, useIds } = writeAnswer(reply, request)
      if (thinking !== undefined) memory.remember(thinking.signature, thinking.thinking, useIds)
      return answer
    },
    writeFailure,
    writeFailureEvent: (failure) => eventText(failureBody(failure), 'error'),
    writeRefusal,
  }
}

function checkModel(model: string, { models }: ProviderOptions): void {
  if (models === undefined || models.includes(model)) return
  throw new Refusal(`model: ${model}`, { status: 404, type: 'not_found_error' })
}
