import type { RunSignal } from '@runwright/client'
import { describe, expect, test } from 'vitest'
import { describeAnswer } from './answers.ts'

const call = { tool: 'pay', arguments: { to: 'Oakline', amount: 500 } }
const asked = {
  ...{ reason_code: 'approval_required', input_kind: 'approval', prompt: 'Call pay?', arguments_hash: null, why: null },
  ...{ has_read: null, tool_call_id: 'call_1', idempotency_key: null, arguments_schema: null, approval_schema: null },
  ...{ approvers: null, approvals: 1, not_requester: false, escalate_to: null, reauth: false },
  ...call,
  calls: [
    { call_id: 'call_1', ...call },
    { call_id: 'call_2', tool: 'mail', arguments: { to: 'ada' } },
  ],
} as unknown as RunSignal['asked']

const signal = (change: Partial<RunSignal> = {}): RunSignal => ({
  ...{ seq: 7, action: 'approve', at: '2026-11-17T10:03:00.000Z', key_id: 'key_1', key_name: 'office' },
  ...{ person: null, roles: [], via: 'api', counted: false, asked, payload: null, call: null, calls: null },
  ...change,
})

describe('an answer names', () => {
  test.each<[string, Partial<RunSignal>, string]>([
    ['a key with a name', {}, 'Approved by office (key_1).'],
    ['a key without one', { key_name: null }, 'Approved by key_1.'],
    [
      'the person and the roles',
      { person: 'ada', roles: ['finance', 'board'] },
      'Approved by ada (key_1, finance, board).',
    ],
    [
      'that it came by link',
      { person: 'ada', roles: ['finance'], via: 'link' },
      'Approved by ada (key_1, finance) by link.',
    ],
    ['the role of a link', { roles: ['finance'], via: 'link' }, 'Approved by finance by link.'],
    ['the reason', { action: 'reject', payload: { reason: 'Too much.' } }, 'Rejected by office (key_1): Too much.'],
    ['that others decide, too', { counted: true }, 'Approved by office (key_1), and others have to decide, too.'],
    [
      'what was edited',
      { action: 'submit_input', call: { arguments: { to: 'Oakline', amount: 450 } } },
      'Approved by office (key_1), edited amount 500 → 450.',
    ],
    [
      'why a call was denied',
      { action: 'submit_input', call: { deny: 'Paid already.' } },
      'Denied by office (key_1): Paid already.',
    ],
    ['a result', { action: 'submit_input', call: { result: 1 } }, 'Answered with a result by office (key_1).'],
    ['a failure', { action: 'submit_input', call: { error: 'No.' } }, 'Answered with a failure by office (key_1): No.'],
    [
      'each of several calls',
      {
        action: 'submit_input',
        calls: [
          { call_id: 'call_1', arguments: { to: 'Oakline', amount: 450 } },
          { call_id: 'call_2', deny: 'Not now' },
        ],
      },
      'Decided about 2 calls by office (key_1): pay approved, edited amount 500 → 450; mail denied: Not now.',
    ],
  ])('%s', (_what, change, words) => {
    expect(describeAnswer(signal(change), false)).toBe(words)
  })

  test('nobody, if the person at the terminal gave it', () => {
    expect(describeAnswer(signal({ person: 'ada' }), true)).toBe('Approved.')
  })

  test('no text that moves the cursor', () => {
    const hostile = signal({ person: 'ada\u001b[2J', roles: ['\u202e'], call: { deny: 'a\nb\u0007' } })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there.
    expect(describeAnswer(hostile, false)).not.toMatch(/[\u0000-\u001f\u202e]/u)
  })
})
