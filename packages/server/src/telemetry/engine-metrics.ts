// Counts what the engine does.
import { builtInTools, isEventReason } from '@runwright/contract'
import type { EngineObserver } from '../engine/context/observer.ts'
import type { ModelOutcome, TokenUsage } from '../models/port/model.ts'
import type { Metrics } from './metrics.ts'

/** `ownTools` are the names of the operator's tools. All others are counted as `other`: servers and models name them. */
export function engineMetrics({ of }: Metrics, ownTools: readonly string[]): EngineObserver {
  const known = new Set<string>([...builtInTools, ...ownTools])
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
      const tool = known.has(name) ? name : 'other'
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
