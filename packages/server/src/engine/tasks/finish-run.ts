// Ends a run without the end of a step: nothing is left to do, or its tokens are used up.
import { limitExceeded } from '../../runs/step-events.ts'
import { runSliced } from '../../runtime/time-slices.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { runEpisode } from './run-episode.ts'
import { runOver, type Settled } from './settled.ts'
import type { OverCeiling } from './task-end.ts'
import { successChange } from './verdict-change.ts'
import { lastVerdict } from './verdict-stages.ts'

/**
 * Finishes a run that has nothing left to do although no step just ended: the last one was a gate, or a question after
 * a step was answered.
 */
export async function finishRun(context: ExecutionContext): Promise<Settled> {
  const finished = context.ledger.progress.finished.filter(({ kind }) => kind !== 'planner')
  const result = finished.at(-1) ?? { content: '', output: null, redacted: false }
  const change = successChange(context.run, result, lastVerdict(context, true))
  await context.ledger.apply({ ...change, memory: await runSliced(runEpisode(context)) })
  return runOver
}

/** The completion that crosses the ceiling is metered. Its step gets no end event. */
export async function endOverCeiling(
  context: ExecutionContext,
  { usage, budget }: Pick<OverCeiling, 'usage' | 'budget'>,
): Promise<Settled> {
  const ceiling = { currentValue: context.ledger.tokens, threshold: context.run.tokenLimit }
  const limit = { limitType: 'cost_ceiling', ...(budget ?? ceiling) } as const
  await context.ledger.apply({ trigger: 'exceed_limit', events: [limitExceeded(limit)], usage })
  return runOver
}
