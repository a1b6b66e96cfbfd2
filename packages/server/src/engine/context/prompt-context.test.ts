import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type FakeOptions, fakeExecution } from '../../../test/support/fake-execution.ts'
import { type DoneEntry, journalEntry } from '../../domain/run/journal.ts'
import { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'
import { promptContext } from './prompt-context.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'], now: Date.UTC(2026, 10, 16, 23, 59) }))
afterEach(() => void vi.useRealTimers())

const plan = {
  goal: 'Pay the invoice',
  steps: [
    { id: 'check', instruction: 'Check it' },
    { id: 'total', tool: 'calculator', input: {} },
    { id: 'ask', await_input: { input_kind: 'approval' as const, reason_code: 'go', prompt: 'Pay it?' } },
    { id: 'wait', await_input: { reason_code: 'delivery' } },
    { id: 'pay', instruction: 'Pay it', approval: 'required' as const },
  ],
}

const done = (stepId: string, order: number, part: Partial<DoneEntry> = {}) =>
  journalEntry('done', `0/${stepId}`, {
    stepId,
    kind: 'agent',
    content: `${stepId} done`,
    output: null,
    redacted: false,
    order,
    ...part,
  })

const describeRun = (options: FakeOptions, current?: string) =>
  promptContext(fakeExecution(options).context, { current })()

test('a run without plan, attachments and answers', () => {
  const run = {
    input: { question: 'How much?' },
    tokenLimit: 1_000,
    tokens: 100,
    durationSeconds: 60,
    remainingMs: 45_500,
  }
  expect(describeRun({ run })).toEqual({
    goal: undefined,
    input: { question: 'How much?' },
    attachmentRefs: [],
    date: '2026-11-16',
    plan: undefined,
    finished: [],
    answers: [],
    tokensLeft: 900,
    secondsLeft: 45.5,
  })
})

test('is built when a model reads it, not before', async () => {
  const { context, ledger } = fakeExecution()
  const described = promptContext(context)
  await ledger.apply({ journal: [done('#0', 0)] })
  expect(described().finished).toMatchObject([{ stepId: '#0', content: '#0 done' }])
})

test('attachments are listed', () => {
  expect(describeRun({ run: { attachmentRefs: ['s3://a/b.pdf'] } }).attachmentRefs).toEqual(['s3://a/b.pdf'])
})

test('secrets are placeholders, and metadata is left out', () => {
  const document = { input: { user: 'ada', password: 'correct horse' }, metadata: { team: 'blue team' } }
  const secrets = SecretKeeper.find(document, [{ path: '$.input.password', classification: 'pii' }])
  const described = describeRun({ run: { ...document, secrets } })
  expect(described.input).toMatchObject({ user: 'ada', password: expect.stringContaining('$.input.password') })
  expect(JSON.stringify(described)).not.toMatch(/correct horse|blue team/)
})

describe('the plan', () => {
  test('says what each step does, and how far it is', () => {
    const journal = [done('check', 0)]
    const answers = [{ action: 'approve' as const, payload: null, waitKey: 'gate:0/ask' }]
    const { goal, plan: steps } = describeRun({ plan, journal, answers }, '0/pay')
    expect(goal).toBe('Pay the invoice')
    expect(steps).toEqual([
      { id: 'check', what: 'Check it', state: 'done' },
      { id: 'total', what: 'calls the tool calculator', state: 'open' },
      { id: 'ask', what: 'waits for a person: Pay it?', state: 'done' },
      { id: 'wait', what: 'waits for a person: delivery', state: 'open' },
      { id: 'pay', what: 'Pay it', state: 'current' },
    ])
  })

  test('of a replanned run: a step of an earlier plan with the same id is not done', () => {
    const wire = { steps: [{ id: 'check', instruction: 'Check it again' }] }
    const journal = [done('check', 0), journalEntry('replan', '1', {}), journalEntry('plan', '1', wire)]
    const described = describeRun({ plan, journal })
    expect(described.plan).toEqual([{ id: 'check', what: 'Check it again', state: 'open' }])
    expect(described.finished).toMatchObject([{ stepId: 'check', content: 'check done' }])
    expect(describeRun({ plan, journal }, '1/check').plan).toMatchObject([{ id: 'check', state: 'current' }])
  })
})

test('finished steps come in the order in which they ended, without the planner’s', () => {
  const journal = [done('b', 2), done('#planner', 0, { kind: 'planner' }), done('a', 1, { output: { price: 391 } })]
  expect(describeRun({ journal }).finished).toMatchObject([
    { stepId: 'a', content: 'a done', output: { price: 391 } },
    { stepId: 'b', content: 'b done' },
  ])
})

describe('what a person says became of a call', () => {
  const outcome = { action: 'submit_input' as const, payload: null, waitKey: 'outcome:call_1:1' }
  const told = (answer: object, journal: FakeOptions['journal'] = []) =>
    describeRun({ journal, answers: [{ ...outcome, ...answer }] }).answers[0]

  test.each([
    ['data that stands for its result', { payload: { receipt: 7 } }, { result: { receipt: 7 } }],
    ['nothing, as its result', {}, { result: null }],
    ['its result', { call: { result: false }, waitKey: 'ask:call_1:h' }, { result: false }],
    ['its error', { call: { error: 'The bank is closed' } }, { error: 'The bank is closed' }],
  ])('is told: %s', (_what, answer, said) => {
    expect(told(answer)).toMatchObject({ payload: null, said })
  })

  test.each([
    ['the call is made', { action: 'approve' as const }],
    ['the call is denied', { call: { deny: 'No' }, waitKey: 'ask:call_1:h' }],
    ['a gate is answered', { payload: 7, waitKey: 'gate:0/ask' }],
  ])('is nothing if %s', (_what, answer) => {
    expect(told(answer)).not.toHaveProperty('said')
  })

  test('is not told twice, if it is the output of a step that only makes a call', () => {
    const call = { result: { receipt: 7 } }
    const journal = (kind: 'tool' | 'agent') => [done('pay', 0, { kind, output: call.result })]
    expect(told({ call }, journal('tool'))).not.toHaveProperty('said')
    expect(told({ call }, journal('agent'))).toMatchObject({ said: call })
  })
})

describe('the last answer', () => {
  test('comes with the question that it answers', () => {
    const answers = [
      { action: 'approve' as const, payload: null, waitKey: 'gate:0/ask' },
      { action: 'approve' as const, payload: { note: 'yes' }, waitKey: 'approval:0/pay' },
    ]
    expect(describeRun({ plan, answers }).answers.at(-1)).toEqual({
      action: 'approve',
      asked: 'May this step start: Pay it',
      payload: { note: 'yes' },
    })
  })

  test('of a question without words has none', () => {
    const answers = [{ action: 'submit_input' as const, payload: 7, waitKey: 'gate:0/wait' }]
    expect(describeRun({ plan, answers }).answers.at(-1)).toEqual({
      action: 'submit_input',
      asked: undefined,
      payload: 7,
    })
  })
})
