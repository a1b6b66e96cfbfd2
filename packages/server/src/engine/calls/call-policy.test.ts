import { describe, expect, test } from 'vitest'
import { type FakeOptions, fakeExecution, fakeTool } from '../../../test/support/fake-execution.ts'
import { type JournaledCall, journalEntry } from '../../domain/run/journal.ts'
import { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { offeredTools, ruleOn } from './call-policy.ts'
import { prepareCall } from './prepared-call.ts'

const tools = [
  fakeTool('free'),
  fakeTool('asks', { policy: 'ask' }),
  fakeTool('never', { policy: 'deny' }),
  fakeTool('mailbox', { exposureOf: () => ({ readsPrivate: true, takesUntrusted: true }) }),
  fakeTool('send', { exposureOf: () => ({ sendsOut: true }) }),
]

const context = (options: FakeOptions = {}) => fakeExecution({ tools, ...options }).context
const call = (name: string, input: unknown = {}): JournaledCall => ({ callId: 'c1', modelCallId: 'm1', name, input })
const rule = (of: ExecutionContext, made: JournaledCall, allowed?: ReadonlySet<string>) =>
  ruleOn(of, prepareCall(of, made, allowed))

describe('offered tools', () => {
  test('are those that the policy does not deny', () => {
    const names = (given?: string[], options?: FakeOptions) =>
      offeredTools(context(options), given).map(({ name }) => name)
    expect(names()).toEqual(['free', 'asks', 'mailbox', 'send'])
    expect(names(['never', 'free', 'gone'])).toEqual(['free'])
    const policy = { tools: { free: 'deny' as const }, customers: { acme: { never: 'allow' as const } } }
    expect(names(undefined, { parts: { policy } })).toEqual(['asks', 'never', 'mailbox', 'send'])
  })
})

describe('a call', () => {
  test('that policy allows is made', () => {
    expect(rule(context(), call('free'))).toEqual({ rule: 'allow' })
  })

  test.each([
    ['of a tool that is not there', call('gone'), undefined],
    ['that is not the step’s to make', call('asks'), new Set(['free'])],
  ])('%s asks no person: the call itself fails', (_, made, allowed) => {
    expect(rule(context(), made, allowed)).toEqual({ rule: 'allow' })
  })

  test('that is denied gets its result at once', () => {
    expect(rule(context(), call('never'))).toMatchObject({
      rule: 'deny',
      result: { outcome: 'policy_denied', reasonCode: 'denied_by_policy', message: expect.stringContaining('never') },
    })
  })

  test('is judged by its own arguments, not by the input of the run', () => {
    const post = fakeTool('post', { exposureOf: (input) => ({ sendsOut: Object(input).to === 'eve' }) })
    const journal = [journalEntry('call', 'c0', { name: 'mailbox', effect: 'read', touches: ['private', 'untrusted'] })]
    const of = context({ tools: [...tools, post], journal, run: { input: { to: 'ada' } } })
    expect(rule(of, call('post', { to: 'eve' }))).toMatchObject({ rule: 'ask' })
    expect(rule(of, call('post', { to: 'ada' }))).toEqual({ rule: 'allow' })
  })

  test('the run itself may restrict its tools', () => {
    const narrowed = context({ run: { metadata: { tool_policy: { free: 'deny' } } } })
    expect(rule(narrowed, call('free'))).toMatchObject({ rule: 'deny' })
  })
})

describe('a person', () => {
  const asked = (made: JournaledCall, options?: FakeOptions) => {
    const ruling = rule(context(options), made)
    if (ruling.rule !== 'ask') throw new Error(`the rule is ${ruling.rule}`)
    return ruling.wait
  }

  test('is asked with the call and its arguments', () => {
    expect(asked(call('asks', { sum: 4 }))).toEqual({
      key: expect.stringMatching(/^ask:c1:[0-9a-f]{64}$/),
      reasonCode: 'approval_required',
      inputKind: 'approval',
      prompt: 'Call asks? Asked because policy requires approval for this tool. Arguments: {"sum":4}',
      call: {
        tool: 'asks',
        arguments: { sum: 4 },
        argumentsHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        why: 'Policy requires approval for this tool.',
        hasRead: [],
        callId: 'c1',
        idempotencyKey: 'c1',
        schema: expect.objectContaining({ type: 'object' }),
      },
    })
  })

  test('sees a prompt that is cut, and how much is missing, but all arguments', () => {
    const text = 'x'.repeat(2_000)
    const { prompt, call: shown } = asked(call('asks', { text }))
    expect(prompt).toMatch(/ Arguments: \{"text":"x{231} \(1,771 more characters\)…$/)
    expect(shown?.arguments).toEqual({ text })
  })

  test('approves the hash that they are shown', () => {
    const { key, call: shown } = asked(call('asks', { sum: 4 }))
    expect(key).toBe(`ask:c1:${shown?.argumentsHash}`)
  })

  test('learns what the run has read, and that a call passes on a secret', () => {
    const begun = (touches: readonly ('private' | 'untrusted')[]) => ({
      journal: [journalEntry('call', 'c0', { name: 'mailbox', effect: 'read' as const, touches })],
    })
    const read = (made: JournaledCall, options: FakeOptions) => asked(made, options).call?.hasRead
    expect(read(call('asks'), begun(['untrusted', 'private']))).toEqual(['private', 'untrusted'])
    const document = { input: { pin: 'correct horse' }, metadata: {} }
    const secrets = SecretKeeper.find(document, [{ path: '$.input.pin', classification: 'pii' }])
    const options = { run: { ...document, secrets }, ...begun(['untrusted']) }
    expect(read(call('asks'), options)).toEqual(['untrusted'])
    expect(read(call('asks', { p: '{{secret:$.input.pin}}' }), options)).toEqual(['private', 'untrusted'])
  })

  test('approves only these arguments', () => {
    const { key } = asked(call('asks', { sum: 4, to: 'x' }))
    const answers = [{ action: 'approve' as const, payload: null, waitKey: key }]
    const ruling = (made: JournaledCall) => rule(context({ answers }), made).rule
    expect(ruling(call('asks', { to: 'x', sum: 4 }))).toBe('allow')
    expect(ruling(call('asks', { to: 'x', sum: 5 }))).toBe('ask')
    expect(ruling({ ...call('asks', { sum: 4, to: 'x' }), callId: 'c2' })).toBe('ask')
  })

  test('does not see secrets', () => {
    const document = { input: { pin: 'correct horse' }, metadata: {} }
    const secrets = SecretKeeper.find(document, [{ path: '$.input.pin', classification: 'pii' }])
    const { prompt } = asked(call('asks', { p: '{{secret:$.input.pin}}' }), { run: { ...document, secrets } })
    expect(prompt).toContain('***')
    expect(prompt).not.toMatch(/horse|secret:/)
  })

  test('is asked before a run that has read private data and untrusted text sends anything out', () => {
    const begun = (touches: readonly ('private' | 'untrusted')[]) => ({
      journal: [journalEntry('call', 'c0', { name: 'mailbox', effect: 'read', touches })],
    })
    const ruling = (options: FakeOptions) => rule(context(options), call('send')).rule
    expect(ruling({})).toBe('allow')
    expect(ruling(begun(['private']))).toBe('allow')
    expect(ruling(begun(['untrusted']))).toBe('allow')
    expect(ruling(begun(['private', 'untrusted']))).toBe('ask')
  })
})

test('the tool declares what a call touches, and secrets count as private data', () => {
  expect(prepareCall(context(), call('mailbox'), undefined).touches).toEqual(['private', 'untrusted'])
  expect(prepareCall(context(), call('free'), undefined).touches).toEqual([])
  expect(prepareCall(context(), call('gone'), undefined).touches).toEqual([])
  const document = { input: { pin: 'correct horse' }, metadata: {} }
  const secrets = SecretKeeper.find(document, [{ path: '$.input.pin', classification: 'pii' }])
  const holding = context({ run: { ...document, secrets } })
  expect(prepareCall(holding, call('free', { p: '{{secret:$.input.pin}}' }), undefined).touches).toEqual(['private'])
})
