// Converts an MCP server's tool to the tool port. The operator's configuration overrides what the server says about it.
import type { CallToolResult, Tool as ListedTool } from '@modelcontextprotocol/client'
import { cutText } from '@runwright/contract'
import { z } from 'zod'
import { toWireId } from '../../runtime/ids.ts'
import {
  type Exposure,
  type Tool,
  type ToolCallContext,
  type ToolDescription,
  type ToolEffect,
  withoutEffect,
} from '../port/tool.ts'
import { readCallResult, ToolReportedError } from './call-result.ts'
import { type McpServerConfig, ruleFor } from './config.ts'

export type { ListedTool }

export interface McpCall {
  /** The name on the server. */
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  /** Identifies the run and the call for the server, so that it can recognize a repeated call. */
  readonly meta: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** As in `ToolCallContext`. */
  readonly beforeSend: () => void
}

type CallTool = (call: McpCall) => Promise<CallToolResult>

const maxDescriptionLength = 4_000

// The server validates the input itself; its schema may use features that we do not support.
const input = z.record(z.string(), z.unknown())

/** Only the operator can say less: the server's annotations are not trusted. */
const everything: Exposure = { readsPrivate: true, takesUntrusted: true, sendsOut: true }

export function toTool(tool: ListedTool, config: McpServerConfig, callTool: CallTool): Tool {
  const run = async (given: z.infer<typeof input>, context: ToolCallContext) => {
    const { signal, beforeSend } = context
    try {
      const call = { tool: tool.name, input: given, meta: metaOf(context), signal, beforeSend }
      return readCallResult(await callTool(call))
    } catch (error) {
      const isBeforeEffect = error instanceof ToolReportedError && ruleFor(config.errors, tool.name) !== undefined
      throw isBeforeEffect ? withoutEffect(error) : error
    }
  }
  return { ...describeListed(tool, config), looksBeforeSending: true, run } satisfies Tool<
    z.infer<typeof input>
  > as Tool
}

export function describeListed(tool: ListedTool, config: McpServerConfig): ToolDescription<z.infer<typeof input>> {
  const effect = ruleFor(config.effects, tool.name) ?? hintedEffect(tool)
  const exposure = ruleFor(config.exposures, tool.name) ?? everything
  return {
    name: `${config.name}.${tool.name}`,
    description: cutText(tool.description ?? tool.title ?? '', maxDescriptionLength),
    input,
    inputSchema: tool.inputSchema,
    isCheckedElsewhere: true,
    policy: ruleFor(config.policies, tool.name),
    exposureOf: () => exposure,
    effectOf: () => effect,
    timeoutSeconds: config.timeoutSeconds,
  }
}

function hintedEffect({ annotations }: ListedTool): ToolEffect {
  if (annotations?.readOnlyHint === true) return 'read'
  return annotations?.idempotentHint === true ? 'idempotent' : 'once'
}

const metaOf = ({ idempotencyKey, runId, toolCallId, traceparent }: ToolCallContext) => ({
  'runwright/idempotency_key': idempotencyKey,
  'runwright/run_id': toWireId('run', runId),
  'runwright/tool_call_id': toolCallId,
  ...(traceparent !== undefined && { traceparent }),
})
