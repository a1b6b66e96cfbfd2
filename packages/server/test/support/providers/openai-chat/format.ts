// `POST /v1/chat/completions`, as OpenAI and the servers that follow it speak it.
import {
  checkBearerKey,
  checkOpenAiModel,
  openAiFailure,
  openAiFailureBody,
  openAiRefusal,
  openAiShapeRefusal,
} from '../openai-errors.ts'
import type { JsonObject } from '../script.ts'
import { shapeProblem } from '../shape.ts'
import { eventText } from '../sse.ts'
import type { ProviderOptions, WireFormat } from '../wire-format.ts'
import { writeAnswer } from './answer.ts'
import { answerAside } from './aside.ts'
import { checkConversation, checkToolsOffered } from './conversation.ts'
import { checkFiles } from './files.ts'
import { toNeutral } from './neutral.ts'
import { checkParameters } from './parameters.ts'
import { ReasoningMemory } from './reasoning-memory.ts'
import { type ChatRequest, chatRequest } from './request-shape.ts'

export function openAiChatFormat(options: ProviderOptions): WireFormat {
  const memory = new ReasoningMemory(options)
  return {
    basePath: '/v1',
    checkKey: (call) => checkBearerKey(call, options),
    answerAside: (call, body) => answerAside(call, body, options),
    isModelCall: ({ method, url }) => method === 'POST' && url.pathname === '/v1/chat/completions',
    read: (_call, body) => {
      const problem = shapeProblem(chatRequest, body)
      if (problem !== undefined) throw openAiShapeRefusal(problem)
      const request = body as ChatRequest
      checkOpenAiModel(request.model, options)
      checkParameters(request)
      checkConversation(request.messages)
      checkFiles(request.messages, options)
      if (options.historyNeedsTools) checkToolsOffered(request)
      memory.check(request.messages)
      return toNeutral(request)
    },
    write: (reply, request) => {
      const answer = writeAnswer(reply, request)
      if (reply.reasoning !== undefined) memory.remember(reply.reasoning, callIds(answer.json))
      return answer
    },
    writeFailure: (failure) => openAiFailure(failure, 'messages'),
    writeFailureEvent: (failure) => eventText(openAiFailureBody(failure, 'messages')),
    writeRefusal: openAiRefusal,
  }
}

function callIds(completion: JsonObject): string[] {
  const [choice] = completion.choices as { message: { tool_calls?: { id?: string }[] } }[]
  return (choice?.message.tool_calls ?? []).flatMap(({ id }) => (id === undefined ? [] : [id]))
}
