// Writes the spans of what the engine does.
import { isEventReason } from '@runwright/contract'
import type { EndedModelCall, EndedToolCall, EngineObserver } from '../../engine/context/observer.ts'
import { taskOfCall } from '../../models/cassette/cassette-file.ts'
import type { ModelOutcome, ModelReply } from '../../models/port/model.ts'
import { attributes as names, operations } from './attributes.ts'
import { spanKeys, traceIdOf } from './span-ids.ts'
import type { Tracing } from './tracing.ts'

/** `isKnownTool`: whether the operator has named it. A model may ask for any name, and that is content. */
export function engineSpans(tracing: Tracing, isKnownTool: (name: string) => boolean): EngineObserver {
  const writeTool = (call: EndedToolCall) => {
    const tool = isKnownTool(call.name) ? call.name : 'other'
    tracing.write({
      run: call.run,
      key: spanKeys.tool(call),
      name: `${operations.tool} ${tool}`,
      ...lastMs(call.durationMs),
      attributes: {
        [names.operation]: operations.tool,
        [names.toolName]: tool,
        [names.toolCallId]: call.callId,
        [names.outcome]: call.outcome,
      },
      error: call.outcome === 'succeeded' ? undefined : call.outcome,
    })
  }
  return {
    planEnded: ({ run, taskKey, failures, outcome, startedMs }) =>
      tracing.write({
        run,
        key: spanKeys.plan(run.epoch, taskKey, failures),
        name: operations.plan,
        startMs: startedMs,
        endMs: Date.now(),
        attributes: { [names.operation]: operations.plan },
        error: outcome === 'succeeded' ? undefined : outcome,
      }),
    modelCalled: (call) => {
      if (call.readsPrompt) writeChat(tracing, call)
    },
    toolCalled: writeTool,
    toolTried: writeTool,
    traceIdOf,
    traceparentOfModelCall: (call) => tracing.traceparent(call.run, spanKeys.chat(call)),
    traceparentOfToolCall: (call) => tracing.traceparent(call.run, spanKeys.tool(call)),
  }
}

function writeChat(tracing: Tracing, call: EndedModelCall): void {
  const { run, role, key, failures, tries, model, agent, outcome, durationMs } = call
  tracing.write({
    run,
    key: spanKeys.chat(call),
    parentKey: role === 'planner' ? spanKeys.plan(run.epoch, taskOfCall(key), failures) : undefined,
    isClient: true,
    name: `${operations.chat} ${model}`,
    ...lastMs(durationMs),
    attributes: {
      [names.operation]: operations.chat,
      [names.provider]: model.split('/', 1)[0],
      [names.requestModel]: model.slice(model.indexOf('/') + 1),
      [names.inputTokens]: outcome.usage?.input,
      [names.outputTokens]: outcome.usage?.output,
      [names.cachedTokens]: outcome.usage?.cached,
      ...(outcome.kind === 'reply' && { [names.finishReasons]: [finishReason(outcome)] }),
      [names.agentName]: agent,
      [names.role]: role,
      [names.tries]: tries,
    },
    error: errorOf(outcome),
  })
}

const lastMs = (durationMs: number) => {
  const endMs = Date.now()
  return { startMs: endMs - durationMs, endMs }
}

/** In the words of the conventions. */
function finishReason({ finish, toolCalls }: ModelReply): string {
  if (finish === 'length') return 'length'
  return toolCalls.length > 0 ? 'tool_call' : 'stop'
}

/** A reason code that is not ours may be a text of the client. */
function errorOf(outcome: ModelOutcome): string | undefined {
  if (outcome.kind === 'reply') return undefined
  if (outcome.kind === 'aborted') return 'aborted'
  return isEventReason(outcome.reasonCode) ? outcome.reasonCode : 'other'
}
