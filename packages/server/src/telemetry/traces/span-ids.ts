// The ids of traces and spans. They follow from the run, so every process that works on it, now or after a restart,
// finds the same ones.
import { createHash } from 'node:crypto'
import type { ModelCallName, ToolCallName } from '../../engine/context/observer.ts'
import { parseTraceparent } from '../../runtime/traceparent.ts'

export interface TracedRun {
  readonly id: string
  readonly attempt: number
  /** As the client sent it. */
  readonly traceparent?: string | undefined
}

/** The trace of the client, or one with the id of the run. */
export const traceIdOf = ({ id, traceparent }: Omit<TracedRun, 'attempt'>): string =>
  parseTraceparent(traceparent)?.traceId ?? id.replaceAll('-', '')

export const spanIdOf = ({ id, attempt }: TracedRun, key: string): string =>
  createHash('sha256').update([id, attempt, key].join('\n')).digest('hex').slice(0, 16)

/**
 * What identifies a span within an attempt of a run. With the epoch of the claim, because another worker makes a call
 * that was interrupted again.
 */
export const spanKeys = {
  run: 'run',
  /** `failures`: how often the task has failed before. Its calls are made again with the same keys. */
  plan: (epoch: number, taskKey: string, failures: number): string => `plan ${epoch} ${taskKey} ${failures}`,
  chat: ({ run, key, failures, tries }: ModelCallName): string => `chat ${run.epoch} ${key} ${failures} ${tries}`,
  tool: ({ run, callId, sending }: ToolCallName): string => `tool ${run.epoch} ${callId} ${sending}`,
} as const
