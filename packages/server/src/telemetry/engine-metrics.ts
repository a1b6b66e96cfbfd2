// Counts what the engine does.
import { isEventReason } from '@runwright/contract'
import type { EngineObserver } from '../engine/context/observer.ts'
import type { ModelOutcome, TokenUsage } from '../models/port/model.ts'
import type { Metrics } from './metrics.ts'

/** All tools but the built-in and the operator's own are counted as `other`: servers and models name them. */
export function engineMetrics({ of }: Metrics, isOwnTool: (name: string) => boolean): EngineObserver {
  return {
    claimed: (runs) => {
      for (const { runClass, was } of runs) {
        of.claims.inc({ class: runClass })
        if (was === 'stalled') of.recoveries.inc()
      }
    },
    stepEnded: ({ kind, outcome }) => of.steps.inc({ kind, outcome }),
    modelCalled: ({ model, role, readsPrompt, outcome, durationMs }) => {
      of.modelCalls.inc({ model, outcome: outcomeLabel(outcome) })
      of.modelSeconds.observe({ model }, durationMs / 1000)
      for (const [kind, tokens] of tokenKinds(outcome.usage)) of.tokens.inc({ model, kind }, tokens)
      if (readsPrompt) of.turns.inc({ role })
    },
    toolCalled: ({ name, outcome, durationMs }) => {
      const tool = isOwnTool(name) ? name : 'other'
      of.toolCalls.inc({ tool, outcome })
      of.toolSeconds.observe({ tool }, durationMs / 1000)
    },
  }
}

/** The reason code of a sandbox script is a text of the client. */
function outcomeLabel(outcome: ModelOutcome): string {
  if (outcome.kind !== 'failure') return outcome.kind
  return isEventReason(outcome.reasonCode) ? outcome.reasonCode : 'other'
}

/** The kinds do not overlap: their sum is the total. */
function tokenKinds(usage: TokenUsage | undefined): [kind: string, tokens: number][] {
  if (!usage) return []
  const { total, input = 0, output = 0, cached = 0, reasoning = 0 } = usage
  const kinds: [string, number][] = [
    ['input', input - cached],
    ['cached_input', cached],
    ['output', output - reasoning],
    ['reasoning', reasoning],
    ['unknown', total - input - output],
  ]
  return kinds.filter(([, tokens]) => tokens > 0)
}
