// `POST /v1/responses` of OpenAI.
import { answerAside } from '../openai-chat/aside.ts'
import {
  checkBearerKey,
  checkOpenAiModel,
  openAiFailure,
  openAiFailureBody,
  openAiRefusal,
  openAiShapeRefusal,
} from '../openai-errors.ts'
import type { Fail, JsonObject } from '../script.ts'
import { shapeProblem } from '../shape.ts'
import { eventText } from '../sse.ts'
import type { ProviderOptions, WireFormat } from '../wire-format.ts'
import { writeAnswer } from './answer.ts'
import { checkConversation } from './conversation.ts'
import { checkFiles } from './files.ts'
import { ItemMemory } from './item-memory.ts'
import { toNeutral } from './neutral.ts'
import { checkParameters } from './parameters.ts'
import { type Item, type ResponsesRequest, responsesRequest } from './request-shape.ts'

export function openAiResponsesFormat(options: ProviderOptions): WireFormat {
  const memory = new ItemMemory()
  return {
    basePath: '/v1',
    checkKey: (call) => checkBearerKey(call, options),
    answerAside: (call, body) => answerAside(call, body, options),
    isModelCall: ({ method, url }) => method === 'POST' && url.pathname === '/v1/responses',
    read: (_call, body) => {
      const problem = shapeProblem(responsesRequest, body)
      if (problem !== undefined) throw openAiShapeRefusal(problem)
      const request = body as ResponsesRequest
      checkOpenAiModel(request.model, options)
      checkParameters(request)
      const items = memory.resolve(request)
      checkConversation(items, memory)
      checkFiles(items, options)
      return toNeutral(request, items)
    },
    write: (reply, request) => {
      const answer = writeAnswer(reply, request)
      const asked = request.body as unknown as ResponsesRequest
      memory.remember(asked, String(answer.json.id), answer.json.output as Item[])
      return answer
    },
    writeFailure: (failure) => openAiFailure(failure, 'input'),
    writeFailureEvent: failureEvent,
    writeRefusal: openAiRefusal,
  }
}

function failureEvent(failure: Fail): string {
  const body = openAiFailureBody(failure, 'input')
  const error = typeof body === 'string' ? { message: body } : (body.error as JsonObject)
  return eventText({ ...error, type: 'error', sequence_number: 0 }, 'error')
}
