// Examples of the turns of a run.
import type { Turn } from '../schemas/turns.ts'
import { requestIds, taskId } from './ids.ts'

const turn: Turn = {
  seq: 1,
  attempt: 1,
  role: 'worker',
  task_id: taskId,
  step_id: 'convert',
  call: '0/convert:0',
  try: 1,
  model: 'openai/gpt-5-mini',
  prompt_version: 'worker-2',
  messages: [
    { from: 'system', text: 'You do one step of a task.' },
    { from: 'user', text: 'Input:\n{"amount":"12 EUR"}\n\nNow do this step: Convert the amount to USD.' },
  ],
  tools: ['calculator'],
  parameters: {},
  output_schema: false,
  outcome: 'reply',
  reply: {
    text: '',
    tool_calls: [{ id: 'call_1', name: 'calculator', input: { expression: '12 * 1.1' } }],
    finish: 'complete',
  },
  failure: null,
  usage: { total: 431, input: 412, output: 19, cached: 256 },
  first_token_ms: null,
  duration_ms: 812,
  started_at: '2026-11-15T09:30:00.310Z',
  truncated: false,
}

const failed: Turn = {
  ...turn,
  seq: 2,
  call: '0/convert:1',
  outcome: 'failure',
  reply: null,
  failure: { reason_code: 'provider_rate_limited', message: 'Rate limit reached.' },
  usage: null,
  duration_ms: 95,
  started_at: '2026-11-15T09:30:01.140Z',
}

export const turnPages = {
  page: {
    summary: 'A call that asked for a tool, and one that failed',
    value: { turns: [turn, failed], next_after: 2, request_id: requestIds.signal },
  },
}
