import { describe, expect, test, vi } from 'vitest'
import { fakeExecution } from '../../../test/support/fake-execution.ts'
import { fillTemplates } from '../../domain/plan/fill-templates.ts'
import { journalEntry } from '../../domain/run/journal.ts'
import { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'

describe('memory', () => {
  const notes = [{ kind: 'fact', title: 'Price', content: 'It is 391.' }]

  test('is searched for the run’s owner, once per text', async () => {
    const recall = vi.fn(async () => notes)
    const run = { customerId: 'acme', workspaceId: 'w1', subjectId: 's1' }
    const { context } = fakeExecution({ run, parts: { recall } })
    expect(await context.inputs.recall('prices')).toBe(notes)
    await context.inputs.recall('prices')
    await context.inputs.recall('names')
    expect(recall.mock.calls).toEqual([
      [{ ...run, text: 'prices' }, context.signal],
      [{ ...run, text: 'names' }, context.signal],
    ])
  })

  test('two searches for one text at the same time are one', async () => {
    const recall = vi.fn(async () => notes)
    const { context } = fakeExecution({ parts: { recall } })
    await Promise.all([context.inputs.recall('prices'), context.inputs.recall('prices')])
    expect(recall).toHaveBeenCalledTimes(1)
  })

  test('a service without memory finds nothing', async () => {
    const { context, log } = fakeExecution()
    expect(await context.inputs.recall('prices')).toEqual([])
    expect(log.journal).toEqual([])
  })

  test('notes that are found count as private and untrusted, and are journaled once', async () => {
    const { context, log, ledger } = fakeExecution({ parts: { recall: async () => notes } })
    await context.inputs.recall('prices')
    await context.inputs.recall('names')
    expect(log.journal).toEqual([journalEntry('touch', 'memory', { touches: ['private', 'untrusted'] })])
    expect(ledger.progress.turns.touched).toEqual(new Set(['private', 'untrusted']))
  })
})

describe('what models and templates see', () => {
  const document = { input: { user: 'ada', password: 'correct horse' }, metadata: { team: 'blue' } }
  const secrets = SecretKeeper.find(document, [{ path: '$.input.password', classification: 'pii' }])

  test('without secrets: input and metadata as they are', () => {
    expect(fakeExecution({ run: document }).context.inputs.shown).toEqual(document)
  })

  test('with secrets: placeholders, in templates, too', () => {
    const { context } = fakeExecution({ run: { ...document, secrets } })
    expect(context.inputs.shown).toMatchObject({ input: { user: 'ada' }, metadata: { team: 'blue' } })
    const filled = fillTemplates('{{input.user}} has {{input.password}}', context.inputs.templateScope())
    expect(filled).toMatchObject({ ok: true, value: expect.stringContaining('ada has ') })
    expect(JSON.stringify([context.inputs.shown, filled])).not.toContain('correct horse')
  })

  test('a template can name a part of a secret, and gets a placeholder', () => {
    const whole = { input: { account: { number: 'DE02120300' } }, metadata: {} }
    const hidden = SecretKeeper.find(whole, [{ path: '$.input.account', classification: 'pii' }])
    const { context } = fakeExecution({ run: { ...whole, secrets: hidden } })
    expect(fillTemplates('{{input.account.number}}', context.inputs.templateScope())).toMatchObject({
      ok: true,
      value: expect.stringContaining('$.input.account.number'),
    })
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
    expect(fillTemplates(texts, context.inputs.templateScope())).toEqual({
      ok: true,
      value: [391, 'It is 391.', 'kind', 'kind', 's3://a/b.pdf'],
    })
  })

  test('braces that are no reference are text in a planner’s plan, and an error in the client’s', () => {
    const wire = { steps: [{ id: 'a', instruction: 'x' }] }
    const planner = fakeExecution({ startsWithPlanner: true, journal: [journalEntry('plan', '1', wire)] })
    const client = fakeExecution({ plan: wire })
    const fill = ({ context }: typeof client) => fillTemplates('Dear {{first_name}}', context.inputs.templateScope())
    expect(fill(planner)).toEqual({ ok: true, value: 'Dear {{first_name}}' })
    expect(fill(client)).toMatchObject({ ok: false, because: 'malformed' })
  })
})

test('a script in the input reaches the sandbox; an input that is not a script does not', () => {
  const of = { agentStep: 0, failures: 0, turn: 0, isLast: true }
  const script = { steps: [{ say: 'hello' }] }
  const scripted = fakeExecution({ run: { input: { sandbox: script } } }).context
  expect(scripted.inputs.rehearsal(of)).toMatchObject({ ...of, script })
  const other = fakeExecution({ run: { input: { sandbox: { steps: 'all' } } } }).context
  expect(other.inputs.rehearsal(of).script).toBeUndefined()
})
