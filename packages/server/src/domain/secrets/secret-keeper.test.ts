import { maxInstructionLength, type SensitivityTag } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { longestTurnMs, promisedTurnMs } from '../../../test/support/cpu-time.ts'
import { finish } from '../finish.ts'
import { SecretKeeper } from './secret-keeper.ts'

const document = {
  input: {
    password: 'hunter2',
    pin: 1234,
    small: 'abc',
    flag: true,
    token: 'tok-en-99',
    login: { user: 'alice', codes: ['code-one', 22222] },
    note: 'log in with hunter2 please',
    header: `Basic ${Buffer.from('alice:hunter2').toString('base64')}`,
    plain: 'nothing',
  },
  metadata: { card: 4111111111111111 },
}
const tag = (path: string, redaction: 'mask' | 'drop' = 'mask'): SensitivityTag => ({
  path,
  classification: 'credential',
  redaction,
})
const tags = [
  tag('$.input.pin'),
  tag('$.input.small'),
  tag('$.input.flag'),
  tag('$.input.token', 'drop'),
  tag('$.input.login'),
  tag('$.metadata.card'),
]
const keeper = SecretKeeper.find(document, tags) as SecretKeeper
const of = (path: string) => `{{secret:${path}}}`

test('a document without secrets needs no keeper', () => {
  expect(SecretKeeper.find({ input: { a: 1 }, metadata: {} }, [tag('$.input.b')])).toBeUndefined()
  expect(SecretKeeper.find({ input: { a: 1 }, metadata: {} }, undefined)).toBeUndefined()
})

test('models and templates see a placeholder in every secret place, and in texts that repeat a secret', () => {
  expect(keeper.shown).toEqual({
    input: {
      password: of('$.input.password'),
      pin: of('$.input.pin'),
      small: of('$.input.small'),
      flag: of('$.input.flag'),
      token: of('$.input.token'),
      login: of('$.input.login'),
      note: `log in with ${of('$.input.password')} please`,
      header: `Basic ${of('$.hidden[0]')}${of('$.hidden[1]')}==`,
      plain: 'nothing',
    },
    metadata: { card: of('$.metadata.card') },
  })
})

describe('fill', () => {
  test('gives the document back, with its types', () => {
    expect(keeper.fill(keeper.shown)).toEqual(document)
  })

  test('fills in parts of a secret, in any spelling, and texts around it', () => {
    const filled = keeper.fill({
      a: of('$.input.login.codes[1]'),
      b: `${of("$['input']['login'].user")}:${of('$.input.password')}`,
      c: `pin=${of('$.input.pin')} all=${of('$.input.login.codes')}`,
    })
    expect(filled).toEqual({ a: 22222, b: 'alice:hunter2', c: 'pin=1234 all=["code-one",22222]' })
  })

  test.each([
    '$.input.plain',
    '$.input',
    '$.metadata',
    '$.input.none',
    '$.input.login.none',
    '$.hidden[9]',
    '$.env',
    'x',
  ])('leaves %s alone: it names nothing secret of this run', (path) => {
    expect(keeper.fill([of(path), `a ${of(path)}`])).toEqual([of(path), `a ${of(path)}`])
  })

  test('does not search filled-in values', () => {
    const tricky = { input: { a: of('$.input.b'), b: 'second one' }, metadata: {} }
    const both = SecretKeeper.find(tricky, [tag('$.input.a'), tag('$.input.b')])
    expect(both?.fill(of('$.input.a'))).toBe(of('$.input.b'))
  })
})

describe('scrub', () => {
  test('masks texts, numbers and keys, drops values tagged with drop, and leaves short values unchanged', () => {
    const output = { text: 'my hunter2!', pin: 1234, long: 912345, tok: 'tok-en-99', hunter2: 1, abc: 'abc', on: true }
    expect(finish(keeper.scrub(output))).toEqual({
      text: 'my ***!',
      pin: '***',
      long: '***',
      '***': 1,
      abc: 'abc',
      on: true,
    })
    expect(finish(keeper.scrub(['tok-en-99', 'a tok-en-99', 22222]))).toEqual(['a ***', '***'])
    expect(finish(keeper.scrub('tok-en-99'))).toBe('***')
  })

  test('gives the value itself back when there is nothing to hide', () => {
    const value = { a: [1, { b: 'c' }], d: null }
    expect(finish(keeper.scrub(value))).toBe(value)
  })

  test('leaves kept parts unchanged', () => {
    const value = { id: 'hunter2', items: [{ name: 'hunter2', text: 'hunter2' }] }
    expect(finish(keeper.scrub(value, { id: true, items: { '*': { name: true } } }))).toEqual({
      id: 'hunter2',
      items: [{ name: 'hunter2', text: '***' }],
    })
  })

  test('leaves placeholders whole, even when a secret reads like a part of one', () => {
    const weak = SecretKeeper.find({ input: { password: 'password' }, metadata: {} }, [
      tag('$.input.x'),
    ]) as SecretKeeper
    expect(finish(weak.scrub(`password ${of('$.input.password')}`))).toBe(`*** ${of('$.input.password')}`)
    expect(finish(weak.scrub(of('$.input.password.more')))).toBe(of('$.input.***.more'))
  })

  test('hides the start of a secret at the end of a cut text', () => {
    expect(keeper.scrubCut('the key was tok-en…')).toBe('the key was ***…')
    expect(keeper.scrubCut('the key was to…')).toBe('the key was to…')
    expect(keeper.scrubCut('the key was tok-en-9')).toBe('the key was tok-en-9')
  })
})

test('show masks placeholders, drops values tagged with drop, and scrubs the rest', () => {
  const input = {
    a: of('$.input.password'),
    b: of('$.input.token'),
    c: `x ${of('$.input.token')} hunter2`,
    d: [of('$.input.token'), of('$.input.login')],
    e: of('$.input.plain'),
  }
  expect(finish(keeper.show(input))).toEqual({ a: '***', c: 'x *** ***', d: ['***'], e: of('$.input.plain') })
})

test('hide makes placeholders of secrets as they are, and masks other forms', () => {
  const hidden = finish(
    keeper.hide({ a: 'hunter2', b: 1234, c: `x=${Buffer.from('hunter2').toString('base64')}`, d: 'd' }),
  )
  expect(hidden).toEqual({ a: of('$.input.password'), b: of('$.input.pin'), c: 'x=***==', d: 'd' })
})

describe('hideInPlan', () => {
  const names = { steps: { '*': { id: true } } } as const

  test('leaves names and templates as they are and loses nothing', () => {
    const encoded = encodeURIComponent('tok-en-99/ü')
    const own = SecretKeeper.find({ input: { token: 'tok-en-99/ü' }, metadata: {} }, [tag('$.input.x')]) as SecretKeeper
    const plan = { steps: [{ id: 'tok-en-99/ü', input: { q: `{{input.q}} tok-en-99/ü`, url: `?t=${encoded}` } }] }
    const hidden = finish(own.hideInPlan(plan, names))
    expect(hidden).toEqual({
      steps: [
        { id: 'tok-en-99/ü', input: { q: `{{input.q}} ${of('$.input.token')}`, url: `?t=${of('$.hidden[0]')}` } },
      ],
    })
    expect(own.fill(hidden)).toEqual(plan)
  })

  test.each([
    ['{{hunter2}}', `{{${of('$.input.password')}}}`],
    ['{{ input.q }} {{secret:hunter2}}', `{{ input.q }} {{secret:${of('$.input.password')}}}`],
    ['{{steps.b.output hunter2', `{{steps.b.output ${of('$.input.password')}`],
  ])('finds a secret in braces that are no template: %s', (goal, hidden) => {
    expect(finish(keeper.hideInPlan({ goal, steps: [{ id: 'a' }] }, names))).toEqual({
      goal: hidden,
      steps: [{ id: 'a' }],
    })
  })

  test('finds a secret that has braces itself', () => {
    const own = SecretKeeper.find({ input: { token: 'a{{b}}c' }, metadata: {} }, [tag('$.input.x')]) as SecretKeeper
    expect(finish(own.hideInPlan({ goal: 'Say a{{b}}c' }, {}))).toEqual({ goal: `Say ${of('$.input.token')}` })
  })

  test.each(['{{', '{{input', '{{}}', '{{a}', '}}{{', '{{secret:'])('%s over and over takes a moment', async (part) => {
    const plan = { goal: part.repeat(maxInstructionLength / part.length), steps: [{ id: 'a' }] }
    expect(await longestTurnMs(() => finish(keeper.hideInPlan(plan, names)))).toBeLessThan(promisedTurnMs)
  })

  test('finds parts hidden before under the same number', () => {
    const again = SecretKeeper.find(document, tags, ['first', ...keeper.hidden]) as SecretKeeper
    expect(again.fill(of('$.hidden[0]'))).toBe('first')
    expect(again.shown.input).toMatchObject({ header: `Basic ${of('$.hidden[1]')}${of('$.hidden[2]')}==` })
  })
})

test('a template that names a secret or a part of one gets its placeholder', () => {
  expect(keeper.placeholderAt('input', ['password'])).toBe(of('$.input.password'))
  expect(keeper.placeholderAt('input', ['login', 'codes', '0'])).toBe(of('$.input.login.codes[0]'))
  for (const path of [['plain'], ['login', 'none'], ['login', 'codes', 'length'], [], ['login', 'user', 'length']])
    expect(keeper.placeholderAt('input', path)).toBeUndefined()
})

test('streamed text is held back while it may become a secret or a placeholder', () => {
  for (const text of ['I say hunt', 'I say hunter2', 'I say {{secret:$.in', 'I say {'])
    expect(text.slice(0, keeper.safeLength(text))).toBe('I say ')
})

describe('a secret in upper or lower case', () => {
  const input = { password: 'Hunter2é', note: 'try HUNTER2É or hunter2é', plain: 'nothing' }
  const cased = SecretKeeper.find({ input, metadata: {} }, [tag('$.input.password')]) as SecretKeeper

  test.each(['HUNTER2É', 'hunter2é', 'HUNTER2%C3%A9', 'hunter2\\u00E9'])('is scrubbed: %s', (text) => {
    expect(cased.scrubText(`it is ${text}!`)).toBe('it is ***!')
  })

  test('is not given away by a stream before it is complete', () => {
    expect(cased.safeLength('it is HUNTE')).toBe('it is '.length)
  })

  test('keeps its spelling in a text that the client sent', () => {
    expect(cased.shown.input).toMatchObject({ note: `try ${of('$.hidden[0]')} or ${of('$.hidden[1]')}` })
    expect(cased.fill(cased.shown)).toEqual({ input, metadata: {} })
  })

  test('is the placeholder in a model’s call', () => {
    expect(finish(cased.hide({ a: 'HUNTER2É' }))).toEqual({ a: of('$.input.password') })
  })

  test('does not matter for base64, where another case is another text', () => {
    const encoded = btoa('long-password-1')
    const other = SecretKeeper.find({ input: { password: 'long-password-1' }, metadata: {} }, [tag('$.input.password')])
    expect(other?.scrubText(encoded)).toBe('***')
    expect(other?.scrubText(encoded.toLowerCase())).toBe(encoded.toLowerCase())
  })
})

describe('secretsIn', () => {
  test('names each source once, in any spelling, and parts of a tagged value by it', () => {
    const value = [`a ${of('$.input.password')}`, { b: of("$.input['password']"), c: of('$.input.login.user') }]
    expect(keeper.secretsIn([...value, of('$.input.plain')]).map(({ source }) => source)).toEqual([
      '$.input.password',
      '$.input.login',
    ])
  })
})

test('fill leaves the placeholders of refused secrets in place', () => {
  const value = { a: of('$.input.pin'), b: `${of('$.input.pin')} and ${of('$.input.password')}` }
  expect(keeper.fill(value, ({ source }) => source === '$.input.password')).toEqual({
    a: of('$.input.pin'),
    b: `${of('$.input.pin')} and hunter2`,
  })
  const refused = { a: of('$.input.pin') }
  expect(keeper.fill(refused, () => false)).toBe(refused)
})

describe('repeatedIn', () => {
  const repeated = (value: unknown) =>
    finish(keeper.repeatedIn(value)).map(({ source, isGuessable }) => `${source}${isGuessable ? ' guessable' : ''}`)

  test('names the tagged value of each secret that a text, a number or a key repeats, in any form', () => {
    expect(repeated('the PIN is 1234')).toEqual(['$.input.pin guessable'])
    expect(repeated([{ list: [1233, 1234] }, 'HUNTER2'])).toEqual([
      '$.input.pin guessable',
      '$.input.password guessable',
    ])
    expect(repeated({ 'code-one': true })).toEqual(['$.input.login guessable'])
    expect(repeated(Buffer.from('alice').toString('base64'))).toEqual(['$.input.login guessable'])
    expect(repeated('4111111111111111')).toContain('$.metadata.card')
  })

  test('finds nothing in placeholders, and in text without secrets', () => {
    expect(repeated(`${of('$.input.pin')} and nothing else`)).toEqual([])
  })

  test('does not look for what it has found', async () => {
    const words = Array.from({ length: 900 }, (_, n) => `s3cret${n}x`)
    const many = SecretKeeper.find({ input: { words }, metadata: {} }, [tag('$.input.words')]) as SecretKeeper
    // More work than a search may have: from then on, each text counts as all secrets.
    const value = Array.from({ length: 60 }, () => words).flat()
    expect(await longestTurnMs(() => finish(many.repeatedIn(value)))).toBeLessThan(promisedTurnMs)
  })

  test('of a text that takes too much work to search, all secrets count', () => {
    const long = SecretKeeper.find({ input: { a: 'a'.repeat(50_000) }, metadata: {} }, [
      tag('$.input.a'),
    ]) as SecretKeeper
    expect(finish(long.repeatedIn(`${'a'.repeat(49_999)}b`.repeat(20)))).toHaveLength(1)
  })
})
