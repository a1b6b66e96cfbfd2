// A tool whose calls wait until the test lets each of them return.
import type { Tool, ToolCallContext } from '../../src/tools/port/tool.ts'
import { fakeTool } from './fake-execution.ts'
import { Occurrences } from './occurrences.ts'

export interface GateCall {
  readonly input: Record<string, unknown>
  readonly context: ToolCallContext
  readonly succeed: () => void
  readonly fail: () => void
}

export function gateTool(name = 'gate') {
  const calls = new Occurrences<GateCall>()
  const tool: Tool<Record<string, unknown>> = fakeTool(name, {
    run: (input, context) =>
      new Promise((resolve, reject) => {
        context.signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
        calls.add({ input, context, succeed: () => resolve('ok'), fail: () => reject(new Error('no')) })
      }),
    timeoutSeconds: 86_400,
  })
  /** Resolves with the n-th call of the run, counted from 1. */
  const called = (runId: string, n = 1) => calls.nth(n, ({ context }) => context.runId === runId)
  return { tool, calls, called }
}
