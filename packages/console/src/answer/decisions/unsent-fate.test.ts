import type { AwaitingInput, RunSignal } from '@runwright/contract'
import { expect, test } from 'vitest'
import { fateOf } from './unsent-fate.ts'

const note = { runId: 'run_1', awaitSeq: 7, action: 'approve', name: 'Chairs', wasSending: true } as const
const answer = { seq: 8, action: 'approve', key_id: 'key_1' } as RunSignal
const waiting = (seq: number, ...decisions: RunSignal[]) => ({
  awaiting_input: { seq, decisions } as unknown as AwaitingInput,
})

test.each([
  ['nobody has answered', waiting(7), 'waits'],
  ['it was counted, and others decide', waiting(7, answer), 'arrived'],
  ['somebody else was counted', waiting(7, { ...answer, key_id: 'key_2' }), 'waits'],
  ['it ended the wait', { signals: [answer] }, 'arrived'],
  [
    'it was counted before the one that ended the wait',
    { signals: [answer, { ...answer, key_id: 'key_2' }] },
    'arrived',
  ],
  ['somebody else was counted before it', { signals: [{ ...answer, key_id: 'key_2' }, answer] }, 'arrived'],
  ['somebody else ended the wait', { signals: [{ ...answer, key_id: 'key_2' }] }, 'unknown'],
  ['it was another decision', { signals: [{ ...answer, action: 'reject' as const }] }, 'unknown'],
  ['a later wait was answered', { ...waiting(20), signals: [{ ...answer, seq: 15 }] }, 'unknown'],
  ['the run was cancelled', {}, 'unknown'],
])('a decision that was on its way, and %s: %#', (_what, run, fate) => {
  expect(fateOf(note, run, 'key_1')).toBe(fate)
})

test('as long as it is not known who is signed in, the answer of anyone counts', () => {
  expect(fateOf(note, { signals: [answer] })).toBe('arrived')
})

test('a decision that still counted down has not arrived, whoever has decided the same', () => {
  const before = { ...note, wasSending: false }
  expect([fateOf(before, waiting(7, answer), 'key_1'), fateOf(before, { signals: [answer] }, 'key_1')]).toEqual([
    'waits',
    'unknown',
  ])
})
