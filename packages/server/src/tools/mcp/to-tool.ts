// A tool of an MCP server as a tool of ours. What a server says of its own tools is a stranger's word: the operator's counts first.
import type { CallToolResult, Tool as ListedTool } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { cutText } from '../../domain/text.ts'
import { toWireId } from '../../runtime/ids.ts'
import type { Tool, ToolCallContext, ToolEffect } from '../port/tool.ts'
import { readCallResult } from './call-result.ts'
import { type McpServerConfig, ruleFor } from './config.ts'

export type { ListedTool }

export interface McpCall {
  /** As the server names it. */
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  /** Tells the server whose call this is, and which calls are one and the same. */
  readonly meta: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

export type MakeCall = (call: McpCall) => Promise<CallToolResult>

const maxDescriptionLength = 4_000

// The server checks its input itself, by a schema that need not be one we understand.
const input = z.record(z.string(), z.unknown())

export function toTool(tool: ListedTool, config: McpServerConfig, makeCall: MakeCall): Tool {
  const effect = ruleFor(config.effects, tool.name) ?? hintedEffect(tool)
  const run = async (given: z.infer<typeof input>, context: ToolCallContext) =>
    readCallResult(await makeCall({ tool: tool.name, input: given, meta: metaOf(context), signal: context.signal }))
  return {
    name: `${config.name}.${tool.name}`,
    description: cutText(tool.description ?? tool.title ?? '', maxDescriptionLength),
    input,
    inputSchema: tool.inputSchema,
    policy: ruleFor(config.policies, tool.name),
    // Whatever the server says of itself: it would be the one to carry data out.
    exposureOf: () => ({ takesUntrusted: true, sendsOut: true }),
    effectOf: () => effect,
    timeoutSeconds: config.timeoutSeconds,
    run,
  } satisfies Tool<z.infer<typeof input>> as Tool
}

function hintedEffect({ annotations }: ListedTool): ToolEffect {
  if (annotations?.readOnlyHint === true) return 'read'
  return annotations?.idempotentHint === true ? 'idempotent' : 'once'
}

const metaOf = ({ idempotencyKey, runId, toolCallId }: ToolCallContext) => ({
  'runwright/idempotency_key': idempotencyKey,
  'runwright/run_id': toWireId('run', runId),
  'runwright/tool_call_id': toolCallId,
})
