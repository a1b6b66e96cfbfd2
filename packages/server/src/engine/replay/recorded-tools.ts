// Tools that are not called: each call gets the result that the run has journaled.
import { z } from 'zod'
import type { CallResultEntry } from '../../domain/run/journal.ts'
import { ToolCatalogue } from '../../tools/port/catalogue.ts'
import { type Tool, type ToolCallContext, ToolDenied, ToolTimeout, withoutEffect } from '../../tools/port/tool.ts'

interface RecordedCalls {
  readonly results: ReadonlyMap<string, CallResultEntry>
  /** Is told of a call that the recorded run did not make. */
  readonly onUnknown: (name: string, input: unknown) => void
}

/** `offered` are the names that the recorded run knew. Those that are not among `tools` are known by name only. */
export function recordedTools(tools: readonly Tool[], offered: Iterable<string>, calls: RecordedCalls): ToolCatalogue {
  const known = new Set(tools.map(({ name }) => name))
  const missing = [...new Set(offered)].filter((name) => !known.has(name) && name !== 'read_result')
  return new ToolCatalogue([...tools, ...missing.map(nameOnly)].map((tool) => withRecordedResults(tool, calls)))
}

/** A wait is over at once. */
function withRecordedResults({ sleepMs: _, ...tool }: Tool, { results, onUnknown }: RecordedCalls): Tool {
  const run = async (input: unknown, { toolCallId }: ToolCallContext) => {
    const result = results.get(toolCallId)
    if (result) return outputOf(result)
    onUnknown(tool.name, input)
    throw withoutEffect(new Error('The recorded run did not make this call.'))
  }
  return { ...tool, run }
}

/** The result is the one that the run went on with, so it leaves no question open. */
function outputOf(result: CallResultEntry): unknown {
  if (result.outcome === 'succeeded') return result.output
  if (result.outcome === 'timeout') throw withoutEffect(new ToolTimeout(result.message))
  if (result.outcome === 'policy_denied') throw new ToolDenied('denied_by_policy', result.message)
  throw withoutEffect(new Error(result.message))
}

const nameOnly = (name: string): Tool => ({
  name,
  description: '',
  input: z.unknown(),
  inputSchema: { type: 'object' },
  effectOf: () => 'read',
  timeoutSeconds: 60,
  run: async () => undefined,
})
