// For whom a tool is called, where a test does not care.
import type { ToolCallContext } from '../../src/tools/port/tool.ts'

export const toolContext = (part: Partial<ToolCallContext> = {}): ToolCallContext => ({
  signal: new AbortController().signal,
  customerId: 'acme',
  workspaceId: null,
  subjectId: null,
  runId: '01890000-0000-7000-8000-000000000000',
  toolCallId: 'call_1',
  idempotencyKey: 'key-1',
  beforeSend: () => undefined,
  ...part,
})
