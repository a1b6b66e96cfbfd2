// Example bodies of the run routes: requests that create and signal a run, and the responses.

import type { AskedCall, RunSignal } from '../schemas/questions.ts'
import type { ListedRun, RunDetail } from '../schemas/runs.ts'
import { exampleError } from './errors.ts'
import { exampleEvents } from './events.ts'
import { agentHash, agentSetHash, createdAt, earlierRunId, requestIds, runId } from './ids.ts'

const plan = {
  version: 'v2',
  goal: 'Pay invoice 4711 if its total is right',
  steps: [
    { id: 'check', instruction: 'Check the total of {{input.invoice}}.', tools: ['calculator'], max_attempts: 3 },
    {
      id: 'gate',
      await_input: { input_kind: 'approval', reason_code: 'payment_over_limit', prompt: 'Pay 1,146.00?' },
    },
    { id: 'pay', instruction: 'Prepare the payment of {{steps.check.content}}.', tools: [] },
  ],
}

const run: ListedRun = {
  id: runId,
  workspace_id: 'acme-finance',
  subject_id: 'user-42',
  status: 'queued',
  run_class: 'default',
  metadata: { created_at: createdAt, updated_at: createdAt },
  event_payload: { redacted: true, value: null },
}

const at = (status: ListedRun['status'], updated_at: string): ListedRun => ({
  ...run,
  status,
  metadata: { created_at: createdAt, updated_at },
})

const succeeded: ListedRun = {
  ...at('succeeded', '2026-11-15T09:30:13.120Z'),
  event_payload: {
    redacted: false,
    value: { content: 'The payment of 1,146.00 for invoice 4711 is prepared.', output: null },
  },
}

const noCall = {
  tool: null,
  arguments: null,
  arguments_hash: null,
  why: null,
  has_read: null,
  tool_call_id: null,
  idempotency_key: null,
  arguments_schema: null,
  calls: null,
}

const anyone = {
  approval_schema: null,
  approvers: null,
  approvals: 1,
  not_requester: false,
  reauth: false,
  escalate_to: null,
}

const twoOfFinance = {
  approval_schema: { type: 'object', properties: { cost_centre: { type: 'string' } }, required: ['cost_centre'] },
  approvers: ['finance'],
  approvals: 2,
  not_requester: true,
  reauth: false,
  escalate_to: ['board'],
}

const paymentSchema = {
  type: 'object',
  properties: { number: { type: 'integer' }, iban: { type: 'string' }, amount: { type: 'number' } },
  required: ['number', 'iban', 'amount'],
}

const paymentCall: AskedCall = {
  call_id: 'call_01m7f8njhrfe3b4wzz6kye37bb',
  tool: 'pay_invoice',
  arguments: { number: 4711, iban: '***', amount: 500 },
  arguments_hash: '6b0f2f2b1f4e6c7c8a2f0f5f6d9a3f6e4f1a2b7c9d8e5f4a3b2c1d0e9f8a7b6c',
  arguments_schema: paymentSchema,
  why: 'Policy requires approval for this tool.',
  has_read: ['private'],
  idempotency_key: 'call_01m7f8njhrfe3b4wzz6kye37bb',
}

const askedPayment = {
  reason_code: 'approval_required',
  input_kind: 'approval',
  prompt:
    'Call pay_invoice? Asked because policy requires approval for this tool. Arguments: {"number":4711,"iban":"***","amount":500}',
  tool: 'pay_invoice',
  arguments: paymentCall.arguments,
  arguments_hash: paymentCall.arguments_hash,
  why: paymentCall.why,
  has_read: paymentCall.has_read,
  tool_call_id: paymentCall.call_id,
  idempotency_key: paymentCall.idempotency_key,
  arguments_schema: paymentCall.arguments_schema,
  calls: [paymentCall],
  ...twoOfFinance,
} satisfies RunSignal['asked']

const ada = { key_id: 'key_ada', key_name: 'ada', person: 'ada@example.com', roles: ['finance'], via: 'link' }
const lessMoney = { arguments: { number: 4711, iban: '***', amount: 450 } }
const costCentre = { cost_centre: '4100' }

const waiting: RunDetail = {
  ...at('running', '2026-11-15T09:30:06.120Z'),
  awaiting_input: {
    seq: 7,
    reason_code: 'payment_over_limit',
    input_kind: 'approval',
    prompt: 'Pay 1,146.00?',
    ...noCall,
    ...anyone,
    escalates_at: null,
    decisions: [],
    since: '2026-11-15T09:30:06.120Z',
    expires_at: '2026-11-15T21:30:06.120Z',
  },
  limits: { tokens: 1_000_000, duration_seconds: 86_400, signal_timeout_seconds: 43_200 },
  usage: { tokens: 412, steps: 1, tool_calls: 1 },
  failure: null,
  request_id: requestIds.signal,
}

const approving: RunDetail = {
  ...at('running', '2026-11-15T09:30:09.480Z'),
  awaiting_input: {
    seq: 14,
    ...askedPayment,
    escalates_at: '2026-11-15T10:30:09.480Z',
    decisions: [
      {
        at: '2026-11-15T09:30:40.118Z',
        action: 'submit_input',
        ...ada,
        payload: costCentre,
        call: lessMoney,
        calls: null,
      },
    ],
    since: '2026-11-15T09:30:09.480Z',
    expires_at: '2026-11-15T21:30:09.480Z',
  },
  input: {
    input: { invoice: { number: 4711, hours: 12, rate: 95.5, iban: '***' } },
    metadata: { source: 'erp' },
    attachment_refs: [],
  },
  created_by: { key_id: 'key_acme', key_name: 'nightly reports', via: 'api' },
  request_id: requestIds.signal,
}

const answered: RunDetail = {
  ...at('failed', '2026-11-15T09:31:12.004Z'),
  signals: [
    {
      seq: 15,
      action: 'reject',
      at: '2026-11-15T09:31:12.004Z',
      ...ada,
      counted: false,
      asked: askedPayment,
      payload: { reason: 'Paid already' },
      call: null,
      calls: null,
    },
  ],
  request_id: requestIds.retry,
}

const ofAgent: RunDetail = {
  ...at('running', '2026-11-15T09:30:06.120Z'),
  title: 'Answer the open tickets',
  agent: { name: 'support-triage', hash: agentHash, set_hash: agentSetHash },
  request_id: requestIds.signal,
}

const invoice = { number: 4711, hours: 12, rate: 95.5 }

export const createRunBodies = {
  minimal: {
    summary: 'The two required fields',
    value: { input: { task: 'Summarise the open tickets of this week' }, metadata: {} },
  },
  planned: {
    summary: 'A predefined plan with a gate that awaits approval',
    value: {
      input: { invoice },
      metadata: { source: 'erp' },
      workspace_id: 'acme-finance',
      subject_id: 'user-42',
      run_class: 'default',
      streaming: true,
      plan,
    },
  },
  tagged: {
    summary: 'A secret, tagged so that it is redacted everywhere',
    value: {
      input: { task: 'Fetch the balance of the account', bank: { api_key: 'sk_test_4242' } },
      metadata: {},
      attachment_refs: ['s3://acme-finance/statements/2026-10.pdf'],
      sensitivity_tags: [
        {
          path: '$.input.bank.api_key',
          classification: 'credential',
          redaction: 'mask',
          allow: ['host:api.bank.example'],
          retention_hint_days: 30,
        },
      ],
      routing_hint: 'skip_planning',
      run_class: 'short',
    },
  },
  rehearsed: {
    summary: 'A script for the sandbox model: wait for data, then continue',
    value: {
      input: {
        sandbox: {
          steps: [
            {
              say: 'Which account should be debited?',
              tokens: 40,
              // biome-ignore lint/suspicious/noThenProperty: a field of the sandbox script
              then: 'await_input',
              await: { input_kind: 'payload', reason_code: 'account_needed' },
            },
            { say: 'Thank you, that is all.', output: { done: true }, tokens: 25 },
          ],
        },
      },
      metadata: {},
      routing_hint: 'skip_planning',
    },
  },
}

export const forkRunBodies = {
  same: { summary: 'Execute everything after the step again', value: { from_step: 'check' } },
  changed: {
    summary: 'Execute it with another input',
    value: { from_step: 'check', input: { invoice: { ...invoice, hours: 10 } }, metadata: { source: 'erp' } },
  },
}

export const createdRuns = {
  201: { created: { summary: 'Created', value: { ...run, replayed: false, request_id: requestIds.create } } },
  200: {
    replayed: {
      summary: 'The same key and body again: the run as it was at creation',
      value: { ...run, replayed: true, request_id: requestIds.retry },
    },
  },
}

export const runDetails = {
  running: {
    summary: 'Executing, or awaiting input',
    value: { ...at('running', '2026-11-15T09:30:06.120Z'), request_id: requestIds.signal },
  },
  included: { summary: 'Awaiting input, with `include=awaiting_input,limits,usage,failure`', value: waiting },
  approval: { summary: 'A tool call awaits approval, with `include=awaiting_input,input`', value: approving },
  signals: { summary: 'Rejected, with `include=signals`', value: answered },
  agent: { summary: 'A run of an agent, with `include=title,agent`', value: ofAgent },
  succeeded: { summary: 'Succeeded', value: { ...succeeded, request_id: requestIds.retry } },
}

export const runList = {
  page: {
    summary: 'The last page',
    value: {
      runs: [
        { ...succeeded, event_payload: { redacted: false, value: null } },
        {
          ...run,
          id: earlierRunId,
          subject_id: null,
          status: 'failed',
          run_class: 'short',
          metadata: { created_at: '2026-11-15T09:12:41.000Z', updated_at: '2026-11-15T09:13:02.481Z' },
        },
      ],
      next_cursor: null,
      request_id: requestIds.signal,
    },
  },
}

export const runCounts = {
  counts: {
    summary: 'All runs of the range',
    value: {
      counts: { queued: 3, running: 2, awaiting_input: 1, stalled: 0, succeeded: 128, failed: 4, cancelled: 1 },
      complete: true,
      request_id: requestIds.signal,
    },
  },
}

const runsPage = { runs: [{ ...run, title: 'Pay invoice 4711' }], next_cursor: null }
const runsChanged = {
  put: [{ ...at('running', '2026-11-15T09:30:01.002Z'), title: 'Pay invoice 4711' }],
  gone: [earlierRunId],
  next_cursor: null,
}

export const runListStreams = {
  page: { summary: 'Of `runs.page`, the first message', value: runsPage },
  changed: { summary: 'Of `runs.changed`', value: runsChanged },
}

/** The response of cancel, retry and resume: the run in its new state. */
export const commandedRun = (status: ListedRun['status']) => ({
  [status]: {
    summary: `The run is ${status}`,
    value: { ...at(status, '2026-11-15T09:31:12.004Z'), request_id: requestIds.retry },
  },
})

export const deletedRuns = {
  deleted: { summary: 'The run is deleted', value: { id: runId, deleted: true, request_id: requestIds.retry } },
}

export const signalBodies = {
  approve: { summary: 'Approve', value: { action: 'approve', idempotency_key: 'approval-4711', await_seq: 7 } },
  reject: { summary: 'Reject, with a reason', value: { action: 'reject', payload: { reason: 'Paid already' } } },
  submit_input: {
    summary: 'Submit the requested data',
    value: { action: 'submit_input', payload: { account: 'DE-000-42' } },
  },
  edit: {
    summary: 'Make the call with other arguments. `payload` is what the `approval_schema` asks for',
    value: {
      action: 'submit_input',
      await_seq: 14,
      call: { arguments: { number: 4711, iban: '***', amount: 450 } },
      payload: costCentre,
    },
  },
  deny: {
    summary: 'Do not make the call, and let the run go on',
    value: { action: 'submit_input', await_seq: 14, call: { deny: 'Wait for the credit note' } },
  },
  calls: {
    summary: 'Decide about several calls of one turn',
    value: {
      action: 'submit_input',
      await_seq: 21,
      calls: [
        { call_id: 'call_01m7f8njhrfe3b4wzz6kye37bb', approve: true },
        { call_id: 'call_01m7f8njhrfe3b4wzz6kye37bc', deny: 'Paid already' },
      ],
    },
  },
}

export const signalResults = {
  ok: { summary: 'Applied', value: { ok: true, request_id: requestIds.signal } },
}

const firstEvents = exampleEvents.slice(0, 7)

export const eventPages = {
  page: {
    summary: 'From the beginning',
    value: { events: firstEvents, next_cursor: firstEvents.length, request_id: requestIds.signal },
  },
  empty: {
    summary: 'No newer events: `next_cursor` is the cursor of the request',
    value: { events: [], next_cursor: firstEvents.length, request_id: requestIds.signal },
  },
}

const [, startedEvent] = exampleEvents

export const eventStreams = {
  event: { summary: 'Of `run_event`', value: startedEvent },
  error: { summary: 'Of `error`, the last message', value: exampleError('SHUTTING_DOWN') },
}

export const customerEventStreams = {
  position: { summary: 'Of `position`, the first message without a cursor', value: {} },
  event: { summary: 'Of `run_event`', value: { run_id: runId, ...startedEvent } },
}
