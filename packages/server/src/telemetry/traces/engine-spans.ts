// Writes the spans of what the engine does.
import { isEventReason } from '@runwright/contract'
import type { EndedModelCall, EngineObserver } from '../../engine/context/observer.ts'
import { taskOfCall } from '../../models/cassette/cassette-file.ts'
import type { ModelOutcome } from '../../models/port/model.ts'
import { toWireId } from '../../runtime/ids.ts'
import { attributes as names, operations } from './attributes.ts'
import { spanKeys, traceIdOf } from './span-ids.ts'
import type { Tracing } from './tracing.ts'

/** `isKnownTool`: whether the operator has named it. A model may ask for any name, and that is content. */
export function engineSpans(tracing: Tracing, isKnownTool: (name: string) => boolean): EngineObserver {
  return {
    planEnded: ({ run, taskKey, failures, outcome, startedMs }) =>
      tracing.write({
        run,
        key: spanKeys.plan(taskKey, failures),
        name: operations.plan,
        startMs: startedMs,
        endMs: Date.now(),
        attributes: { [names.operation]: operations.plan, [names.runId]: toWireId('run', run.id) },
        error: outcome === 'succeeded' ? undefined : outcome,
      }),
    modelCalled: (call) => {
      if (call.readsPrompt) writeChat(tracing, call)
    },
    toolCalled: ({ run, callId, name, outcome, durationMs }) => {
      const tool = isKnownTool(name) ? name : 'other'
      tracing.write({
        run,
        key: spanKeys.tool(callId),
        name: `${operations.tool} ${tool}`,
        ...lastMs(durationMs),
        attributes: {
          [names.operation]: operations.tool,
          [names.toolName]: tool,
          [names.toolCallId]: callId,
          [names.outcome]: outcome,
          [names.runId]: toWireId('run', run.id),
        },
        error: outcome === 'succeeded' ? undefined : outcome,
      })
    },
    traceIdOf,
    traceparentOfModelCall: ({ run, key, failures, tries }) =>
      tracing.traceparent(run, spanKeys.chat(key, failures, tries)),
    traceparentOfToolCall: ({ run, callId }) => tracing.traceparent(run, spanKeys.tool(callId)),
  }
}

function writeChat(tracing: Tracing, call: EndedModelCall): void {
  const { run, role, key, failures, tries, model, outcome, durationMs } = call
  tracing.write({
    run,
    key: spanKeys.chat(key, failures, tries),
    parentKey: role === 'planner' ? spanKeys.plan(taskOfCall(key), failures) : undefined,
    name: `${operations.chat} ${model}`,
    ...lastMs(durationMs),
    attributes: {
      [names.operation]: operations.chat,
      [names.provider]: model.split('/', 1)[0],
      [names.requestModel]: model.slice(model.indexOf('/') + 1),
      [names.inputTokens]: outcome.usage?.input,
      [names.outputTokens]: outcome.usage?.output,
      [names.cachedTokens]: outcome.usage?.cached,
      ...(outcome.kind === 'reply' && { [names.finishReasons]: [outcome.finish] }),
      [names.role]: role,
      [names.tries]: tries,
      [names.runId]: toWireId('run', run.id),
    },
    error: errorOf(outcome),
  })
}

const lastMs = (durationMs: number) => {
  const endMs = Date.now()
  return { startMs: endMs - durationMs, endMs }
}

/** A reason code that is not ours may be a text of the client. */
function errorOf(outcome: ModelOutcome): string | undefined {
  if (outcome.kind === 'reply') return undefined
  if (outcome.kind === 'aborted') return 'aborted'
  return isEventReason(outcome.reasonCode) ? outcome.reasonCode : 'other'
}
