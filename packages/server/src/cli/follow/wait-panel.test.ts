import type { AwaitingInput, Decision } from '@runwright/client'
import { expect, test } from 'vitest'
import { styleFor } from '../output/style.ts'
import { renderWait } from './wait-panel.ts'

const wait = (rules: Partial<AwaitingInput>): AwaitingInput =>
  ({
    ...{ seq: 3, reason_code: 'approval_required', input_kind: 'approval', prompt: 'Pay?', tool: null, why: null },
    ...{ has_read: null, approvers: null, approvals: 1, decisions: [], escalate_to: null, escalates_at: null },
    ...{ not_requester: false, reauth: false, expires_at: '2026-11-17T22:03:00.000Z' },
    ...rules,
  }) as AwaitingInput

test.each<[string, Partial<AwaitingInput>, RegExp]>([
  ['the roles that may decide', { approvers: ['finance'] }, /Approvers: finance/],
  ['how many people must agree', { approvals: 2 }, /Needs 2 people who give the same answer/],
  ['that the requester may not', { not_requester: true }, /Who created the run does not decide/],
  [
    'that somebody has answered by link',
    { decisions: [{ person: 'ada', key_id: 'key_1', action: 'approve', via: 'link' }] as unknown as Decision[] },
    /Answered so far: ada by link: approve/,
  ],
  [
    'that a key cannot decide',
    { reauth: true },
    /signed in within the last 5 minutes: answer in the console\. API keys cannot/,
  ],
])('a question says %s, and only then', (_what, rules, words) => {
  expect(renderWait(wait(rules), styleFor(false))).toMatch(words)
  expect(renderWait(wait({}), styleFor(false))).not.toMatch(words)
})
