import type { Plan } from '@runwright/contract'
import { expect, test } from 'vitest'
import { againRequest } from './again-request.ts'

const plan: Plan = { steps: [{ id: 'a', instruction: 'Do it.' }] }
const run = { workspace_id: 'acme', subject_id: null, run_class: 'short', plan } as const
const sent = { input: { task: 'x' }, metadata: { title: 'T' }, attachment_refs: [] }
const routing = (decided_by: 'plan' | 'heuristic') => ({ first_role: 'worker', decided_by, reason: 'r' }) as const

test('everything that was sent is sent again', () => {
  const created = { request_id: 'req_1', streaming: false, routing: routing('plan') }
  expect(againRequest({ run, sent, created })).toEqual({
    isMasked: false,
    request: {
      input: { task: 'x' },
      metadata: { title: 'T' },
      run_class: 'short',
      workspace_id: 'acme',
      streaming: false,
      plan,
    },
  })
})

test("a planner's plan is made again", () => {
  const { request } = againRequest({ run, sent, created: { request_id: 'req_1', routing: routing('heuristic') } })
  expect(request.plan).toBeUndefined()
})

test('another class can be chosen', () => {
  expect(againRequest({ run, sent, created: undefined, runClass: 'long' }).request.run_class).toBe('long')
})

test.each([{ input: { who: '***' } }, { input: { deep: [{ text: 'Dear ***,' }] } }, { input: '***' }])(
  '%j cannot be sent again as it is',
  (own) => {
    expect(againRequest({ run, sent: { ...sent, ...own }, created: undefined }).isMasked).toBe(true)
  },
)
