// A tool that remembers its calls and returns its input: at once, or, when held, once it is released.
import { z } from 'zod'
import { fromWireId } from '../../src/runtime/ids.ts'
import type { Tool, ToolCallContext, ToolEffect } from '../../src/tools/port/tool.ts'
import { Occurrences } from './occurrences.ts'

export interface RecordedCall {
  readonly input: unknown
  readonly context: ToolCallContext
  readonly at: number
  /** When the call was aborted. */
  readonly aborted: Promise<number>
}

export interface OwnTool extends Tool {
  readonly calls: readonly RecordedCall[]
  callsOf(runId: string): RecordedCall[]
  /** Resolves with the n-th call that the run makes, counted from 1. */
  called(runId: string, n?: number): Promise<RecordedCall>
  /** Resolves with the n-th call of all runs, counted from 1. */
  nth(n: number): Promise<RecordedCall>
  /** Lets the calls that are held, and all later ones, return. */
  release(): void
}

type OwnToolOptions = { name: string; effect?: ToolEffect; held?: boolean; timeoutSeconds?: number }

export function ownTool({ name, effect = 'read', held = false, timeoutSeconds = 600 }: OwnToolOptions): OwnTool {
  const calls = new Occurrences<RecordedCall>()
  const gate: { release?: () => void } = {}
  const released = new Promise<void>((resolve) => Object.assign(gate, { release: resolve }))
  const release = () => gate.release?.()
  if (!held) release()
  const run = (input: unknown, context: ToolCallContext) => {
    const aborted = new Promise<number>((resolve) => {
      context.signal.addEventListener('abort', () => resolve(performance.now()), { once: true })
    })
    calls.add({ input, context, at: performance.now(), aborted })
    return released.then(() => input)
  }
  const isOf = (id: string) => {
    const ids = [id, fromWireId('run', id)]
    return ({ context }: RecordedCall) => ids.includes(context.runId)
  }
  return {
    name,
    description: 'For tests.',
    input: z.looseObject({}),
    effectOf: () => effect,
    timeoutSeconds,
    run,
    calls: calls.all,
    callsOf: (id) => calls.all.filter(isOf(id)),
    called: (id, n = 1) => calls.nth(n, isOf(id)),
    nth: (n) => calls.nth(n, () => true),
    release,
  }
}
