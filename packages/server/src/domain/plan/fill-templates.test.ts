import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fillTemplates, maxFilledLength, type TemplateScope } from './fill-templates.ts'

const scope = (part: Partial<TemplateScope> = {}): TemplateScope => ({
  input: { name: 'Ada', count: 3, none: null, flag: false, items: ['x', { y: [1, 2] }], 'odd key': 1, '0': 'zero' },
  metadata: { source: 'crm' },
  stepIds: new Set(['a', 'b', 'gate']),
  steps: new Map([
    ['a', { content: 'said', output: { price: 12.5, list: [] } }],
    ['gate', { content: undefined, output: null }],
  ]),
  signal: { payload: { ok: true } },
  ...part,
})
const fill = (value: unknown, part?: Partial<TemplateScope>) => fillTemplates(value, scope(part))
const filled = (value: unknown, part?: Partial<TemplateScope>) => {
  const result = fill(value, part)
  if (!result.ok) throw new Error(result.unresolved)
  return result.value
}

describe('a string that is one template keeps the JSON type', () => {
  test.each([
    ['{{input.name}}', 'Ada'],
    ['{{input.count}}', 3],
    ['{{input.none}}', null],
    ['{{input.flag}}', false],
    ['{{ input.items[1].y }}', [1, 2]],
    ['{{input.items.1.y.0}}', 1],
    ['{{input.odd key}}', 1],
    ['{{input.0}}', 'zero'],
    ['{{metadata}}', { source: 'crm' }],
    ['{{steps.a.content}}', 'said'],
    ['{{steps.a.output}}', { price: 12.5, list: [] }],
    ['{{steps.a.output.list}}', []],
    ['{{steps.gate.output}}', null],
    ['{{signal.payload}}', { ok: true }],
    ['{{signal.payload.ok}}', true],
  ])('%s', (text, value) => {
    expect(filled(text)).toEqual(value)
  })
})

describe('otherwise the values become text', () => {
  test.each([
    ['Hello {{input.name}}!', 'Hello Ada!'],
    ['{{input.name}}{{input.name}}', 'AdaAda'],
    [' {{input.count}}', ' 3'],
    ['{{input.count}} * 1.2', '3 * 1.2'],
    ['none: {{input.none}}', 'none: null'],
    ['flag: {{input.flag}}', 'flag: false'],
    ['json: {{input.items}}', 'json: ["x",{"y":[1,2]}]'],
    ['{{steps.a.output.price}} EUR }}', '12.5 EUR }}'],
    ['no template', 'no template'],
    ['', ''],
  ])('%s', (text, value) => {
    expect(filled(text)).toBe(value)
  })
})

describe('a missing value is unresolved, naming the template as written', () => {
  test.each([
    ['{{input.missing}}'],
    ['{{ input.name.first }}'],
    ['{{input.items[2]}}'],
    ['{{input.items.length}}'],
    ['{{input.items.-1}}'],
    ['{{input.name.length}}'],
    ['{{input.name.0}}'],
    ['{{input.constructor}}'],
    ['{{input.toString}}'],
    ['{{input.__proto__}}'],
    ['{{input.none.deeper}}'],
    ['{{steps.a.output.missing}}'],
    ['{{steps.b.content}}'],
    ['{{steps.b.output}}'],
    ['{{steps.gate.content}}'],
    ['{{steps.gate.output.x}}'],
  ])('%s', (template) => {
    expect(fill(template)).toEqual({ ok: false, unresolved: template, because: 'missing' })
    expect(fill({ deep: [`text ${template} text`] })).toEqual({ ok: false, unresolved: template, because: 'missing' })
  })

  test('the signal before there was any', () => {
    expect(fill('{{signal.payload}}', { signal: undefined })).toMatchObject({ ok: false, because: 'missing' })
    expect(filled('{{signal.payload}}', { signal: { payload: null } })).toBeNull()
  })

  test('the first missing one in reading order is named', () => {
    expect(fill(['{{input.name}}', '{{input.x}}', '{{input.y}}'])).toMatchObject({ unresolved: '{{input.x}}' })
  })

  test('a malformed template has its own reason', () => {
    expect(fill('{{nonsense}}')).toMatchObject({ ok: false, because: 'malformed' })
  })
})

describe('filling JSON', () => {
  test('goes to every depth, leaves keys and other values alone, and does not change the original', () => {
    const value = { '{{input.name}}': ['{{input.count}}', { x: 'is {{input.name}}', y: null, z: 7 }] }
    const before = structuredClone(value)
    expect(filled(value)).toEqual({ '{{input.name}}': [3, { x: 'is Ada', y: null, z: 7 }] })
    expect(value).toEqual(before)
  })

  test('inserted values are not searched for templates', () => {
    const input = { name: '{{metadata.source}} {{oops' }
    expect(filled(['{{input.name}}', 'x {{input.name}}'], { input })).toEqual([input.name, `x ${input.name}`])
  })

  test('values without templates come back equal', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!JSON.stringify(value).includes('{{'))
        expect(filled(value)).toEqual(value)
      }),
    )
  })

  test('any JSON value survives being put in', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const input = JSON.parse(JSON.stringify({ value })) as unknown
        expect(filled(['{{input.value}}'], { input })).toEqual([JSON.parse(JSON.stringify(value))])
        const asText = typeof value === 'string' ? value : JSON.stringify(value)
        expect(filled('<{{input.value}}>', { input })).toBe(`<${asText}>`)
      }),
    )
  })
})

describe('inserted text is limited', () => {
  const input = { large: 'x'.repeat(200_000) }

  test.each([
    ['in text', 'x{{input.large}}'.repeat(30)],
    ['as values', Array.from({ length: 30 }, () => '{{input.large}}')],
    ['a hostile number of times', '{{input}}'.repeat(200_000)],
  ])('%s', (_, value) => {
    expect(fill(value, { input })).toMatchObject({ ok: false, because: 'too_large' })
  })

  test('up to the bound it is filled in', () => {
    const exact = { large: 'x'.repeat(maxFilledLength - 2) }
    expect(fill('{{input.large}}', { input: exact }).ok).toBe(true)
  })
})

describe('a secret', () => {
  const secretAt: TemplateScope['secretAt'] = (root, path) =>
    root === 'input' && path[0] === 'name' ? `{{secret:$.input.${path.join('.')}}}` : undefined

  test('is filled in as its placeholder, also a part of it', () => {
    expect(filled(['{{input.name}}', 'Hi {{input.name.first}}!', '{{input.count}}'], { secretAt })).toEqual([
      '{{secret:$.input.name}}',
      'Hi {{secret:$.input.name.first}}!',
      3,
    ])
  })

  test('that is named by its placeholder stays as it is', () => {
    expect(filled('{{secret:$.input.name}} {{input.count}}')).toBe('{{secret:$.input.name}} 3')
  })
})
