import type { AnsweredCall } from '@runwright/contract'
import { expect, test } from 'vitest'
import { fakeProgress } from '../../../test/support/fake-execution.ts'
import type { Answer } from './answer-log.ts'
import { journalEntry } from './journal.ts'

const plan = { steps: [{ id: 'a', tool: 'pay', approval: 'required' as const }] }
const waiting = { tasks: [], wait: { key: 'approval:0/a' } }
const working = { tasks: [{ key: '0/a' }] }

const decision = (callId: string, call: AnsweredCall): Answer => ({
  action: 'submit_input',
  payload: null,
  waitKey: 'approval:0/a',
  call,
  asked: { prompt: null, call: { tool: 'pay', argumentsHash: 'ff', why: 'Why.', callId } },
})
const next = (answers: readonly Answer[], refusedCalls: readonly string[]) => {
  const fail = (refusedCall: string, nth: number) => journalEntry('fail', `0/a:${nth}`, { attempt: 1, refusedCall })
  return fakeProgress({ plan, answers: [...answers], journal: refusedCalls.map(fail) }).next(new Set())
}

test('a decision about the call of a step that has ended the step is asked again', () => {
  const denied = decision('call_1', { deny: 'No' })
  expect(next([denied], [])).toMatchObject(working)
  expect(next([denied], ['call_1'])).toMatchObject(waiting)
})

test('the decision after it counts, until it ends the step as well', () => {
  const denied = [decision('call_1', { deny: 'No' }), decision('call_2', { deny: 'Still no' })]
  expect(next(denied, ['call_1'])).toMatchObject(working)
  expect(next(denied, ['call_1', 'call_2'])).toMatchObject(waiting)
})
