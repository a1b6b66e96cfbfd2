// Tools that are not called: each call gets the result that the run has journaled.
import type { runTools } from '@runwright/contract'
import { z } from 'zod'
import { findToolsName } from '../../agents/tool-search/wrapped-call.ts'
import type { CallResultEntry } from '../../domain/run/journal.ts'
import { ToolCatalogue } from '../../tools/port/catalogue.ts'
import {
  type Tool,
  type ToolCallContext,
  ToolDenied,
  type ToolSource,
  ToolTimeout,
  withoutEffect,
} from '../../tools/port/tool.ts'
import type { UnknownOutcomes } from './unknown-outcomes.ts'

interface RecordedCalls {
  readonly results: ReadonlyMap<string, CallResultEntry>
  readonly unknown: UnknownOutcomes
  /** Is told of a call that the recorded run did not make. */
  readonly onUnknown: (name: string, input: unknown) => void
}

/** These need nothing but the run itself, so the engine's own tools are used. */
const repeated: ReadonlySet<string> = new Set([
  'read_result',
  'call_tool',
  'load_skill',
] satisfies (typeof runTools)[number][])

/** `offered` are the names that the recorded run knew. Those that are not among `tools` are known by name only. */
export function recordedTools(tools: readonly Tool[], offered: Iterable<string>, calls: RecordedCalls): ToolCatalogue {
  const known = new Set(tools.map(({ name }) => name))
  const missing = [...new Set(offered)].filter((name) => !known.has(name) && !repeated.has(name))
  const recorded = (tool: Tool) => withRecordedResults(tool, calls)
  return new ToolCatalogue([...tools, ...missing.map(nameOnly)].map(recorded), [
    recordedServers((name) => recorded(nameOnly(name))),
  ])
}

/** A model can call tools of servers that it was not offered: it has searched for them. Each may have existed. */
function recordedServers(toolOf: (name: string) => Tool): ToolSource {
  const found = new Map<string, Tool>()
  return {
    tools: () => [],
    find: (name) => {
      if (!name.includes('.')) return undefined
      const tool = found.get(name) ?? toolOf(name)
      found.set(name, tool)
      return tool
    },
    whenListed: async () => undefined,
    whenTried: async () => undefined,
    absence: () => undefined,
  }
}

const notKnown = 'The outcome of this try was not known.'

/** A wait is over at once. */
function withRecordedResults({ sleepMs: _, ...tool }: Tool, { results, unknown, onUnknown }: RecordedCalls): Tool {
  const run = async (input: unknown, { toolCallId }: ToolCallContext) => {
    const lost = unknown.next(toolCallId)
    if (lost !== undefined) throw lost === 'timeout' ? new ToolTimeout(notKnown) : new Error(notKnown)
    const result = results.get(toolCallId)
    if (result) return outputOf(result)
    onUnknown(tool.name, input)
    throw withoutEffect(new Error('The recorded run did not make this call.'))
  }
  return { ...tool, run, ...(unknown.tools.has(tool.name) && { effectOf: () => 'once' as const }) }
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
  // As the engine's own tool of this name.
  isOfferedByName: name === findToolsName,
  effectOf: () => 'read',
  timeoutSeconds: 60,
  run: async () => undefined,
})
