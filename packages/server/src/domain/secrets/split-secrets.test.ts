import type { SensitivityTag } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { finish } from '../finish.ts'
import { joinSecrets, type SentDocument, splitSecrets } from './split-secrets.ts'

const tag = (path: string, redaction: 'mask' | 'drop' = 'mask'): SensitivityTag => ({
  path,
  classification: 'pii',
  redaction,
})
const split = (document: SentDocument, plan?: unknown) => {
  const result = finish(splitSecrets(document, plan))
  if (result === undefined) throw new Error('nothing was secret')
  return result
}
const roundTrip = (document: SentDocument) => {
  // As the database returns them.
  const { clear, sealed } = JSON.parse(JSON.stringify(split(document)))
  return joinSecrets(clear, sealed)
}

const awkward: SentDocument = {
  input: {
    password: 'hunter2',
    list: ['zero', 'one!', 'two!', 'three', { deep: ['d0d0', 'd1d1'] }],
    gone: { whole: [1] },
    text: 'say hunter2 twice: hunter2',
    'key hunter2': { kept: true },
    empty: {},
    number: 123456,
    same: 123456,
  },
  metadata: { note: encodeURIComponent('one!'), b: null },
  attachment_refs: ['https://x.test/?t=hunter2', 'plain'],
  sensitivity_tags: [
    tag('$.input.list[1:3]', 'drop'),
    tag('$.input.list[4].deep[0]', 'drop'),
    tag('$.input.gone', 'drop'),
    tag('$.input[?@ == 123456]'),
  ],
}

test('without secrets there is nothing to split', () => {
  expect(
    finish(splitSecrets({ input: { a: 1 }, metadata: {}, sensitivity_tags: [tag('$.input.b')] }, undefined)),
  ).toBeUndefined()
  expect(finish(splitSecrets({ input: { a: 1 }, metadata: {} }, undefined))).toBeUndefined()
})

test('the plain part has no secret: tagged or repeated, in texts, keys, attachments or the tags themselves', () => {
  const { clear } = split(awkward)
  expect(clear).toEqual({
    input: {
      password: '***',
      list: ['zero', 'three', { deep: ['d1d1'] }],
      text: 'say *** twice: ***',
      empty: {},
      number: '***',
      same: '***',
    },
    metadata: { note: '***', b: null },
    attachment_refs: ['https://x.test/?t=***', 'plain'],
    sensitivity_tags: [...(awkward.sensitivity_tags?.slice(0, 3) ?? []), tag('$.input[?@ == ***]')],
  })
})

test('joined again, it equals the original', () => {
  expect(roundTrip(structuredClone(awkward))).toEqual(awkward)
})

test.each(['mask', 'drop'] as const)('input itself can be secret: %s', (redaction) => {
  const whole: SentDocument = {
    input: { a: ['some text'] },
    metadata: {},
    sensitivity_tags: [tag('$.input', redaction)],
  }
  expect(split(whole).clear.input).toEqual(redaction === 'mask' ? '***' : {})
  expect(roundTrip(whole)).toEqual(whole)
})

test('parts that are not at hand are not put back', () => {
  const { clear, sealed } = split(structuredClone(awkward))
  const { attachment_refs: _, ...rest } = clear
  expect(joinSecrets(rest, sealed)).not.toHaveProperty('attachment_refs')
})

describe('a plan', () => {
  const document: SentDocument = { input: { password: 'hunter2' }, metadata: {}, sensitivity_tags: [tag('$.input.x')] }

  test('that repeats a secret gets its placeholder', () => {
    const plan = { version: 'v2', goal: 'use hunter2', steps: [{ id: 'a', instruction: 'hunter2 {{input.q}}' }] }
    expect(split(document, plan).plan).toEqual({
      version: 'v2',
      goal: 'use {{secret:$.input.password}}',
      steps: [{ id: 'a', instruction: '{{secret:$.input.password}} {{input.q}}' }],
    })
  })

  test('that shows it in another form keeps that form under seal', () => {
    const base64 = Buffer.from('hunter2!').toString('base64')
    const { plan, sealed } = split(document, { steps: [{ id: 'a', tool: 't', input: { header: `Basic ${base64}` } }] })
    expect(JSON.stringify(plan)).not.toContain(base64.slice(0, 8))
    expect(sealed.hidden.join()).toContain(base64.slice(0, 8))
  })
})

describe('any document with any tags comes back as it was', () => {
  const values = ['secret-1', 'plain', 1234567, 12, true, null, 'has secret-1 in it', [], {}]
  function makeDocument(seed: number): unknown {
    let state = seed + 1
    const next = (below: number) => {
      state = (state * 48_271) % 2_147_483_647
      return state % below
    }
    const make = (depth: number): unknown => {
      const kind = depth > 3 ? 0 : next(4)
      if (kind === 1) return Array.from({ length: next(5) }, () => make(depth + 1))
      if (kind > 1) return Object.fromEntries(Array.from({ length: next(5) }, (_, n) => [`k${n}`, make(depth + 1)]))
      return values[next(values.length)]
    }
    return { a: make(0), b: make(0), token: 'secret-1', c: [make(1), make(1), make(1)] }
  }

  test.each(Array.from({ length: 60 }, (_, seed) => seed))('case %i', (seed) => {
    const sensitivity_tags = [
      tag('$.input.c[1:]', seed % 2 ? 'drop' : 'mask'),
      tag('$.input.a..k1', 'drop'),
      tag('$.input..k2'),
    ]
    const document = {
      input: makeDocument(seed),
      metadata: makeDocument(seed + 1_000),
      sensitivity_tags,
    } as SentDocument
    expect(roundTrip(structuredClone(document))).toEqual(document)
    expect(JSON.stringify(split(document).clear)).not.toContain('secret-1')
  })
})
