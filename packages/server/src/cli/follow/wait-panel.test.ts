import type { AwaitingInput, Decision } from '@runwright/client'
import { expect, test } from 'vitest'
import { styleFor } from '../output/style.ts'
import { renderHowToAnswer, renderWait } from './wait-panel.ts'

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
    'what somebody has answered, with the data',
    {
      decisions: [
        { person: 'ada', key_id: 'key_1', action: 'approve', payload: { note: 'a  b' }, via: 'api' },
      ] as unknown as Decision[],
    },
    /Answered so far: ada: approve with \{"note":"a {2}b"\}/,
  ],
  [
    'the schema of the data',
    { approval_schema: { required: ['ticket'] } },
    /needs JSON that matches:\n[\s\S]*"ticket"/,
  ],
  ['what each answer about a call does', { tool: 'pay' }, /Deny: it is not made, and a model goes on without it/],
  [
    'what each answer about an outcome does',
    { tool: 'pay', reason_code: 'tool_outcome_unknown' },
    /Approve: the call is made again[\s\S]*Deny: it is not made again/,
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

const mail = (number: number, to = 'ada') => ({
  call_id: `call_${number}`,
  tool: 'mail',
  arguments: { to },
  why: 'Asks.',
})
const about = (...calls: readonly object[]) => wait({ tool: 'mail', calls } as unknown as Partial<AwaitingInput>)
const howToSee = 'Not all is shown here: see awaiting_input.calls of '

test('a question about several calls shows ten others, and says how many there are', () => {
  const panel = renderWait(about(...Array.from({ length: 14 }, (_, at) => mail(at, `person-${at}`))), styleFor(false))
  expect(panel).toContain('The run asks afterwards about 13 more:')
  expect(panel).toMatch(/Tool: mail \(call_10\)[\s\S]*"to": "person-10"/)
  expect(panel).not.toContain('"to": "person-11"')
  expect(panel).toContain(howToSee)
})

test('the arguments of another call are cut, and none of its text passes for a line of the command', () => {
  const panel = renderWait(
    about(mail(1), { ...mail(2, 'a'.repeat(3_000)), why: 'No.\n  Tool: harmless' }),
    styleFor(false),
  )
  expect(panel).not.toContain('a'.repeat(2_000))
  expect(panel).toContain(howToSee)
  expect(panel).toContain('  Why: No. Tool: harmless\n')
  expect(renderWait(about(mail(1), mail(2)), styleFor(false))).not.toContain(howToSee)
})

test('the commands that answer have the data that the question needs', () => {
  const command = (question: Partial<AwaitingInput>) => renderHowToAnswer('run_1', wait(question))
  expect(command({})).toMatch(/signal run_1 approve --await-seq 3$/m)
  const form = { approval_schema: { required: ['ticket'] } }
  expect(command(form)).toMatch(/signal run_1 approve --payload '.*' --await-seq 3$/m)
  const failed = command({ ...form, reason_code: 'tool_outcome_unknown', tool: 'mail' })
  expect(failed).toMatch(/submit --result '.*' --payload '.*' --await-seq 3$/m)
  expect(failed).toMatch(/submit --error ".*" --payload '.*' --await-seq 3$/m)
  expect(failed).toMatch(/submit --deny "why not" --await-seq 3$/m)
})
