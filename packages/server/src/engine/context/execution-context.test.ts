import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { failure, fakeExecution, fakeModel, fakeTool, reply } from '../../../test/support/fake-execution.ts'
import { fillTemplates } from '../../domain/plan/fill-templates.ts'
import { journalEntry } from '../../domain/run/journal.ts'
import { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'
import type { ModelRequest } from '../../models/port/model.ts'
import { DatabaseUnavailableError } from '../../store/postgres/errors.ts'
import { OutageRetryBudget } from '../../store/postgres/outage-retry-budget.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

describe('the time of the run', () => {
  const run = { durationSeconds: 60, remainingMs: 45_000 }

  test('goes on from what the database said at the claim', () => {
    const { context } = fakeExecution({ run })
    expect([context.elapsedMs, context.secondsLeft]).toEqual([15_000, 45])
    vi.advanceTimersByTime(2_500)
    expect([context.elapsedMs, context.secondsLeft]).toEqual([17_500, 42.5])
  })

  test('a run that exceeded its duration never reports less than the limit', () => {
    const { context } = fakeExecution({ run })
    vi.advanceTimersByTime(44_000)
    expect(context.elapsedSeconds()).toBe(60)
    vi.advanceTimersByTime(2_250)
    expect(context.elapsedSeconds()).toBe(61.25)
  })
})

describe('tokens', () => {
  test('what is left counts tokens that are not recorded yet, and is never negative', () => {
    const { context, ledger } = fakeExecution({ run: { tokenLimit: 100, tokens: 30 } })
    expect(context.tokensLeft).toBe(70)
    ledger.spend(context.consumed({ total: 20 }))
    expect(context.tokensLeft).toBe(50)
    ledger.spend(context.consumed({ total: 500 }))
    expect(context.tokensLeft).toBe(0)
  })

  test('a call is counted against the budgets at once, and each is a record of its own', () => {
    const budgets = { exceeded: async () => undefined, spend: vi.fn() }
    const { context } = fakeExecution({ parts: { budgets } })
    const records = [context.consumed({ total: 7, input: 5 }), context.consumed({ total: 7 })].flat()
    expect(records).toMatchObject([{ quantity: 7, details: { input: 5 } }, { quantity: 7 }])
    expect(new Set(records.map(({ key }) => key)).size).toBe(2)
    expect(budgets.spend.mock.calls).toEqual([
      [context.run, 7],
      [context.run, 7],
    ])
  })

  test('a call without usage is not counted', () => {
    const budgets = { exceeded: async () => undefined, spend: vi.fn() }
    expect(fakeExecution({ parts: { budgets } }).context.consumed(undefined)).toEqual([])
    expect(budgets.spend).not.toHaveBeenCalled()
  })

  test('the exhausted budget is that of the run’s owner', async () => {
    const spent = { currentValue: 9, threshold: 5 }
    const exceeded = vi.fn(async () => spent)
    const { context } = fakeExecution({ parts: { budgets: { exceeded, spend: () => undefined } } })
    expect(await context.spentBudget()).toBe(spent)
    expect(exceeded).toHaveBeenCalledWith(context.run)
    expect(await fakeExecution().context.spentBudget()).toBeUndefined()
  })

  test('budgets that cannot be read because the database is away are read when it is back', async () => {
    vi.useRealTimers()
    vi.useFakeTimers()
    let isAway = true
    const exceeded = async () => {
      if (isAway) throw new DatabaseUnavailableError(new Error('connect ECONNREFUSED'))
      return undefined
    }
    const parts = { budgets: { exceeded, spend: () => undefined }, retryBudget: new OutageRetryBudget() }
    const asked = fakeExecution({ parts })
      .context.spentBudget()
      .catch((error: Error) => error.message)
    await vi.advanceTimersByTimeAsync(30_000)
    isAway = false
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await asked).toBeUndefined()
  })

  test('the models of all roles share what the run may still use', async () => {
    const worker = fakeModel('test/worker', () => new Promise(() => undefined))
    const judge = fakeModel('test/judge', reply('Fine.'))
    const { context, controller } = fakeExecution({
      run: { tokenLimit: 5_000 },
      models: { worker: [worker], judge: [judge] },
    })
    const request = {
      messages: [{ from: 'user', text: 'x'.repeat(4_000) }],
      tools: [],
      signal: controller.signal,
    } as unknown as ModelRequest
    void context.models.worker[0]?.respond(request)
    const judged = context.models.judge[0]?.respond(request)
    await new Promise(setImmediate)
    expect([worker.requests.length, judge.requests.length]).toEqual([1, 0])
    controller.abort('hand_over')
    expect(await judged).toMatchObject({ kind: 'reply' })
  })

  test('a list of models keeps its order', () => {
    const worker = ['first', 'second'].map((name) => fakeModel(name, failure()))
    expect(fakeExecution({ models: { worker } }).context.models.worker.map(({ name }) => name)).toEqual([
      'first',
      'second',
    ])
  })
})

describe('tools', () => {
  test('read_result belongs to the run: it is found, and offered only when it is named', () => {
    const { context } = fakeExecution({ tools: [fakeTool('look')] })
    expect(context.catalogue.find('read_result')?.name).toBe('read_result')
    expect(context.catalogue.offers().map(({ name }) => name)).toEqual(['look'])
    expect(context.catalogue.offers(['look', 'read_result']).map(({ name }) => name)).toEqual(['look', 'read_result'])
  })
})

describe('memory', () => {
  const notes = [{ kind: 'fact', title: 'Price', content: 'It is 391.' }]

  test('is searched for the run’s owner, once per text', async () => {
    const recall = vi.fn(async () => notes)
    const run = { customerId: 'acme', workspaceId: 'w1', subjectId: 's1' }
    const { context } = fakeExecution({ run, parts: { recall } })
    expect(await context.recall('prices')).toBe(notes)
    await context.recall('prices')
    await context.recall('names')
    expect(recall.mock.calls).toEqual([
      [{ ...run, text: 'prices' }, context.signal],
      [{ ...run, text: 'names' }, context.signal],
    ])
  })

  test('two searches for one text at the same time are one', async () => {
    const recall = vi.fn(async () => notes)
    const { context } = fakeExecution({ parts: { recall } })
    await Promise.all([context.recall('prices'), context.recall('prices')])
    expect(recall).toHaveBeenCalledTimes(1)
  })

  test('a service without memory finds nothing', async () => {
    expect(await fakeExecution().context.recall('prices')).toEqual([])
  })
})

describe('what models and templates see', () => {
  const document = { input: { user: 'ada', password: 'correct horse' }, metadata: { team: 'blue' } }
  const secrets = SecretKeeper.find(document, [{ path: '$.input.password', classification: 'pii' }])

  test('without secrets: input and metadata as they are', () => {
    expect(fakeExecution({ run: document }).context.shown).toEqual(document)
  })

  test('with secrets: placeholders, in templates, too', () => {
    const { context } = fakeExecution({ run: { ...document, secrets } })
    expect(context.shown).toMatchObject({ input: { user: 'ada' }, metadata: { team: 'blue' } })
    const filled = fillTemplates('{{input.user}} has {{input.password}}', context.templateScope())
    expect(filled).toMatchObject({ ok: true, value: expect.stringContaining('ada has ') })
    expect(JSON.stringify([context.shown, filled])).not.toContain('correct horse')
  })

  test('a template can name a part of a secret, and gets a placeholder', () => {
    const whole = { input: { account: { number: 'DE02120300' } }, metadata: {} }
    const hidden = SecretKeeper.find(whole, [{ path: '$.input.account', classification: 'pii' }])
    const { context } = fakeExecution({ run: { ...whole, secrets: hidden } })
    expect(fillTemplates('{{input.account.number}}', context.templateScope())).toMatchObject({
      ok: true,
      value: expect.stringContaining('$.input.account.number'),
    })
  })

  test('the end of a text that may become a secret is held back', () => {
    const { context } = fakeExecution({ run: { ...document, secrets } })
    expect(context.safeLength?.('it is correct ho')).toBe('it is '.length)
    expect(fakeExecution({ run: document }).context.safeLength).toBeUndefined()
  })

  test('templates read results, answers and attachments', () => {
    const plan = {
      steps: [
        { id: 'a', instruction: 'x' },
        { id: 'gate', await_input: { reason_code: 'go' } },
      ],
    }
    const body = {
      stepId: 'a',
      kind: 'agent',
      content: 'It is 391.',
      output: { price: 391 },
      redacted: false,
      order: 0,
    }
    const { context } = fakeExecution({
      plan,
      run: { attachmentRefs: ['s3://a/b.pdf'] },
      journal: [journalEntry('done', '0/a', body as never)],
      answers: [{ action: 'submit_input', payload: { tone: 'kind' }, waitKey: 'gate:0/gate' }],
    })
    const texts = [
      '{{steps.a.output.price}}',
      '{{steps.a.content}}',
      '{{steps.gate.output.tone}}',
      '{{signal.payload.tone}}',
      '{{attachment_refs[0]}}',
    ]
    expect(fillTemplates(texts, context.templateScope())).toEqual({
      ok: true,
      value: [391, 'It is 391.', 'kind', 'kind', 's3://a/b.pdf'],
    })
  })

  test('braces that are no reference are text in a planner’s plan, and an error in the client’s', () => {
    const wire = { steps: [{ id: 'a', instruction: 'x' }] }
    const planner = fakeExecution({ startsWithPlanner: true, journal: [journalEntry('plan', '1', wire)] })
    const client = fakeExecution({ plan: wire })
    const fill = ({ context }: typeof client) => fillTemplates('Dear {{first_name}}', context.templateScope())
    expect(fill(planner)).toEqual({ ok: true, value: 'Dear {{first_name}}' })
    expect(fill(client)).toMatchObject({ ok: false, because: 'malformed' })
  })
})

test('a step has the same task id in every execution of the run, and other steps have other ids', () => {
  const [first, second] = [fakeExecution(), fakeExecution({ run: { epoch: 9 } })]
  expect(first.context.stepOf('0/a')).toEqual(second.context.stepOf('0/a'))
  expect(first.context.stepOf('0/a')).not.toEqual(first.context.stepOf('1/a'))
  expect(first.context.stepOf('0/a')).toMatchObject({ requestId: 'req_test', taskId: expect.stringMatching(/^task_/) })
})

test('a script in the input reaches the sandbox; an input that is not a script does not', () => {
  const of = { agentStep: 0, failures: 0, turn: 0, isLast: true }
  const script = { steps: [{ say: 'hello' }] }
  const scripted = fakeExecution({ run: { input: { sandbox: script } } }).context
  expect(scripted.rehearsal(of)).toMatchObject({ ...of, script })
  const other = fakeExecution({ run: { input: { sandbox: { steps: 'all' } } } }).context
  expect(other.rehearsal(of).script).toBeUndefined()
})

test('an abort reaches everything that shares the signal', () => {
  const { context, controller } = fakeExecution()
  context.abort('step_timeout')
  expect([context.signal.aborted, controller.signal.reason]).toEqual([true, 'step_timeout'])
})
