import { runTools } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Exposure, PolicyRule, Tool } from '../port/tool.ts'
import { approvalFor, decidePolicy, defaultPolicy, exposureOf, type PolicyRequest, type PolicyRules } from './policy.ts'

const tool = (name: string, part: Partial<Tool> = {}): Tool => ({
  name,
  description: '',
  input: z.unknown(),
  effectOf: () => 'read',
  timeoutSeconds: 1,
  run: async () => null,
  ...part,
})
const call = (part: Partial<PolicyRequest> = {}): PolicyRequest => ({
  tool: tool('fetch'),
  input: {},
  customerId: 'acme',
  metadata: {},
  touched: {},
  knowsSensitive: false,
  secretsNotAllowed: [],
  ...part,
})
const ruleOf = (book: Partial<PolicyRules>, part: Partial<PolicyRequest> = {}) =>
  decidePolicy({ ...defaultPolicy, ...book }, call(part)).rule

describe('the operator’s rules', () => {
  test('without rules, the tool’s own rule holds, and it is allow by default', () => {
    expect(ruleOf({})).toBe('allow')
    expect(ruleOf({}, { tool: tool('fetch', { policy: 'ask' }) })).toBe('ask')
  })

  test.each<[string, PolicyRule, Partial<PolicyRules>]>([
    ['the name before the star', 'ask', { tools: { '*': 'deny', fetch: 'ask' } }],
    ['the star when nothing else speaks of it', 'deny', { tools: { '*': 'deny', other: 'allow' } }],
    [
      'the customer’s before everyone’s',
      'allow',
      { tools: { fetch: 'deny' }, customers: { acme: { fetch: 'allow' } } },
    ],
    ['even the customer’s star', 'ask', { tools: { fetch: 'deny' }, customers: { acme: { '*': 'ask' } } }],
    ['not another customer’s', 'allow', { customers: { other: { fetch: 'deny' } } }],
  ])('%s', (_, rule, book) => {
    expect(ruleOf(book)).toBe(rule)
  })

  test('of all tools of a server, before the star and after the name', () => {
    const tools: PolicyRules['tools'] = { '*': 'deny', 'github.*': 'ask', 'github.read': 'allow' }
    expect(
      ['github.read', 'github.write', 'gitlab.read'].map((name) => ruleOf({ tools }, { tool: tool(name) })),
    ).toEqual(['allow', 'ask', 'deny'])
  })

  test('the star does not cover the tools of the run itself, and their names do', () => {
    const ofRun = runTools.map((name) => tool(name))
    for (const star of ['ask', 'deny'] as const) {
      expect(ofRun.map((each) => ruleOf({ tools: { '*': star } }, { tool: each }))).toEqual(ofRun.map(() => 'allow'))
    }
    expect(ruleOf({ tools: { find_tools: 'deny' } }, { tool: tool('find_tools') })).toBe('deny')
  })

  test('may be wider than the tool’s own', () => {
    expect(ruleOf({ tools: { fetch: 'allow' } }, { tool: tool('fetch', { policy: 'deny' }) })).toBe('allow')
  })

  test('property names of Object.prototype are not rules', () => {
    expect(ruleOf({}, { tool: tool('constructor'), customerId: 'toString' })).toBe('allow')
  })

  test('a rule with approvers asks, as one without does', () => {
    const finance = { rule: 'ask' as const, approvers: ['finance'] }
    expect(ruleOf({ tools: { fetch: finance } })).toBe('ask')
    expect(ruleOf({ tools: { fetch: { ...finance, rule: 'allow' } } })).toBe('allow')
    expect(ruleOf({ tools: { fetch: 'deny' }, customers: { acme: { fetch: finance } } })).toBe('ask')
  })

  test('a denial names the tool and the reason', () => {
    expect(decidePolicy({ ...defaultPolicy, tools: { fetch: 'deny' } }, call())).toEqual({
      rule: 'deny',
      reasonCode: 'denied_by_policy',
      message: 'The tool "fetch" is denied by policy.',
    })
  })
})

describe('a run’s own rules', () => {
  const rules = (tool_policy: unknown) => ({ metadata: { tool_policy } })

  test('narrow', () => {
    expect(ruleOf({}, rules({ fetch: 'ask' }))).toBe('ask')
    expect(ruleOf({ tools: { fetch: 'ask' } }, rules({ '*': 'deny' }))).toBe('deny')
  })

  test('never widen', () => {
    expect(ruleOf({ tools: { fetch: 'deny' } }, rules({ fetch: 'allow' }))).toBe('deny')
    expect(ruleOf({ tools: { fetch: 'ask' } }, rules({ fetch: 'allow' }))).toBe('ask')
  })

  test.each([[null], ['deny'], [['deny']], [{ fetch: 'no' }], [{ fetch: 'Deny' }], [{ fetch: null }], [7]])(
    'what is no rule is none: %j',
    (tool_policy) => {
      expect(ruleOf({}, rules(tool_policy))).toBe('allow')
    },
  )

  test('with approvers ask a person', () => {
    expect(ruleOf({}, rules({ fetch: { rule: 'ask', approvers: ['finance'] } }))).toBe('ask')
    expect(ruleOf({}, rules({ fetch: { rule: 'allow', approvers: ['finance'] } }))).toBe('allow')
  })

  test.each([
    [{ rule: 'deny' }],
    [{ rule: 'deny', approvers: ['finance'] }],
    [{ rule: 'Ask', approvers: ['finance'] }],
    [{ rule: 'ask', approvers: 'finance' }],
    [{ rule: 'allow', approvers: 'finance' }],
    [{ approvers: ['finance'] }],
    [{ approvals: 2, not_requester: true }],
    [{}],
    [['deny']],
  ])('that are objects and cannot be read deny: %j', (rule) => {
    for (const name of ['fetch', '*']) expect(ruleOf({}, rules({ [name]: rule }))).toBe('deny')
  })
})

describe('who approves', () => {
  const by = (role: string) => ({ rule: 'ask' as const, approvers: [role] })
  const approvers = (book: Partial<PolicyRules>, tool_policy: unknown = {}, customerId = 'acme') =>
    approvalFor({ ...defaultPolicy, ...book }, tool('fetch'), { customerId, metadata: { tool_policy } })?.approvers

  test('those of the rule for the customer, before those of the rule for all', () => {
    const book = { tools: { fetch: by('everyone') }, customers: { acme: { fetch: by('finance') } } }
    expect(approvers(book)).toEqual(['finance'])
    expect(approvers(book, {}, 'other')).toEqual(['everyone'])
    expect(approvers({ ...book, customers: { acme: { '*': 'ask' } } })).toBeUndefined()
  })

  test('those that the run names, if the operator names none', () => {
    const ofRun = { fetch: by('friend') }
    expect(approvers({ tools: { fetch: 'ask' } }, ofRun)).toEqual(['friend'])
    expect(approvers({ tools: { fetch: { rule: 'ask' } } }, ofRun)).toEqual(['friend'])
    expect(approvers({ tools: { fetch: by('finance') } }, ofRun)).toEqual(['finance'])
  })

  test('everyone who may send signals, if nobody is named', () => {
    expect(approvers({ tools: { fetch: 'ask' } }, { fetch: 'ask' })).toBeUndefined()
    // A customer whose name is that of a property of every object.
    expect(approvers({ tools: { fetch: by('finance') } }, {}, 'toString')).toEqual(['finance'])
  })
})

describe('private data, untrusted text and sending out', () => {
  const sending = (exposure: Exposure) => tool('send', { exposureOf: () => exposure })
  const both = { readsPrivate: true, takesUntrusted: true }

  test('all three in one run: sending asks', () => {
    expect(ruleOf({}, { tool: sending({ sendsOut: true }), touched: both })).toBe('ask')
    expect(
      ruleOf({}, { tool: sending({ sendsOut: true, readsPrivate: true }), touched: { takesUntrusted: true } }),
    ).toBe('ask')
  })

  test.each<[string, Exposure, PolicyRequest['touched']]>([
    ['nothing private was read', { sendsOut: true }, { takesUntrusted: true }],
    ['no stranger’s text was taken in before', { sendsOut: true, takesUntrusted: true }, { readsPrivate: true }],
    ['nothing is sent', { readsPrivate: true, takesUntrusted: true }, both],
  ])('not when %s', (_, exposure, touched) => {
    expect(ruleOf({}, { tool: sending(exposure), touched })).toBe('allow')
  })

  test('a tool that cannot say what a call touches is taken to touch everything', () => {
    const broken = tool('send', {
      exposureOf: () => {
        throw new Error('unexpected arguments')
      },
    })
    expect(exposureOf(broken, {})).toEqual({ readsPrivate: true, takesUntrusted: true, sendsOut: true })
    expect(ruleOf({}, { tool: broken, touched: { takesUntrusted: true } })).toBe('ask')
  })

  test('a rule that allows the tool does not override this', () => {
    expect(ruleOf({ tools: { send: 'allow' } }, { tool: sending({ sendsOut: true }), touched: both })).toBe('ask')
  })
})

describe('a sensitive value that its tag does not allow for the call', () => {
  const sends = tool('fetch', { exposureOf: () => ({ sendsOut: true }) })
  const secretsNotAllowed = ['$.input.pin', '$.input.card']

  test('asks if the call sends data out, and names the values', () => {
    expect(decidePolicy(defaultPolicy, call({ tool: sends, secretsNotAllowed }))).toEqual({
      rule: 'ask',
      reason: 'this call sends data out, and the tag of $.input.pin, $.input.card does not allow this receiver',
    })
  })

  test('does not ask if the call sends nothing out', () => {
    expect(ruleOf({}, { secretsNotAllowed })).toBe('allow')
  })

  test('does not soften a denial', () => {
    expect(ruleOf({ tools: { fetch: 'deny' } }, { tool: sends, secretsNotAllowed })).toBe('deny')
  })
})

describe('a sensitive value that a model may have found out', () => {
  const sends = tool('fetch', { exposureOf: () => ({ sendsOut: true }) })

  test('asks before each call that sends data out, whatever the run has read', () => {
    expect(decidePolicy(defaultPolicy, call({ tool: sends, knowsSensitive: true }))).toEqual({
      rule: 'ask',
      reason: 'this call sends data out, and the model may have found out a sensitive value of the run',
    })
    expect(ruleOf({}, { tool: sends, touched: { takesUntrusted: true } })).toBe('allow')
  })

  test('does not ask if the call sends nothing out', () => {
    expect(ruleOf({}, { knowsSensitive: true })).toBe('allow')
  })
})
