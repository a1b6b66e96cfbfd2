// The names of span attributes: those of the OpenTelemetry conventions for generative AI, and our own. None of them
// has content: no prompt, answer, argument, result or text of a client.

export const attributes = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  agentName: 'gen_ai.agent.name',
  /** Runs have no conversation of their own yet: the run is one. */
  conversationId: 'gen_ai.conversation.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedTokens: 'gen_ai.usage.cache_read.input_tokens',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
  errorType: 'error.type',
  runId: 'runwright.run.id',
  runClass: 'runwright.run.class',
  runStatus: 'runwright.run.status',
  attempt: 'runwright.run.attempt',
  role: 'runwright.role',
  tries: 'runwright.tries',
  outcome: 'runwright.outcome',
} as const

export const operations = {
  run: 'invoke_workflow',
  plan: 'plan',
  chat: 'chat',
  tool: 'execute_tool',
} as const
