import { describe, expect, test } from 'vitest'
import { readTemplates } from './read-templates.ts'

const ids = (...names: string[]) => new Set(names)
const partsOf = (text: string, stepIds = ids('a')) => {
  const read = readTemplates(text, stepIds)
  if (!read.ok) throw new Error(read.problem)
  return read.parts
}
const problemOf = (text: string, stepIds = ids('a')) => {
  const read = readTemplates(text, stepIds)
  return read.ok ? undefined : read.problem
}
const only = (text: string, stepIds?: Set<string>) => {
  const [template, ...others] = partsOf(text, stepIds)
  expect(others).toEqual([])
  if (typeof template !== 'object') throw new Error('not a template')
  return template
}

describe('readTemplates', () => {
  test.each([
    ['{{input}}', { kind: 'input' }, []],
    ['{{input.a}}', { kind: 'input' }, ['a']],
    ['{{input.a.b-c.d e.é}}', { kind: 'input' }, ['a', 'b-c', 'd e', 'é']],
    ['{{input.items.0}}', { kind: 'input' }, ['items', '0']],
    ['{{input.items[0]}}', { kind: 'input' }, ['items', '0']],
    ['{{input[0][12].x}}', { kind: 'input' }, ['0', '12', 'x']],
    ['{{metadata.x}}', { kind: 'metadata' }, ['x']],
    ['{{steps.a.content}}', { kind: 'step', stepId: 'a', field: 'content' }, []],
    ['{{steps.a.output}}', { kind: 'step', stepId: 'a', field: 'output' }, []],
    ['{{steps.a.output.b[1].c}}', { kind: 'step', stepId: 'a', field: 'output' }, ['b', '1', 'c']],
    ['{{steps.a.output.content}}', { kind: 'step', stepId: 'a', field: 'output' }, ['content']],
    ['{{steps.a.output.output}}', { kind: 'step', stepId: 'a', field: 'output' }, ['output']],
    ['{{steps.a.output[0]}}', { kind: 'step', stepId: 'a', field: 'output' }, ['0']],
    ['{{signal.payload}}', { kind: 'signal' }, []],
    ['{{signal.payload.a[0]}}', { kind: 'signal' }, ['a', '0']],
    ['{{ input.a }}', { kind: 'input' }, ['a']],
    ['{{\n\tsteps.a.content\n}}', { kind: 'step', stepId: 'a', field: 'content' }, []],
  ])('reads %s', (text, source, path) => {
    expect(only(text)).toEqual({ text, source, path })
  })

  test.each([
    ['with dots', '{{steps.v1.2.content}}', 'v1.2'],
    ['with spaces', '{{ steps.my first step.content }}', 'my first step'],
    ['that ends like a field', '{{steps.x.output.content}}', 'x.output'],
    ['in brackets', '{{steps.[1].content}}', '[1]'],
  ])('step ids may contain special characters: %s', (_, text, stepId) => {
    expect(only(text, ids(stepId, 'x', 'v1')).source).toMatchObject({ kind: 'step', stepId })
  })

  test('the longest id that fits is meant', () => {
    const text = '{{steps.a.output.content}}'
    expect(only(text, ids('a')).source).toMatchObject({ stepId: 'a', field: 'output' })
    expect(only(text, ids('a', 'a.output')).source).toMatchObject({ stepId: 'a.output', field: 'content' })
  })

  test('keeps the text around templates', () => {
    const parts = partsOf('a {{input.x}}{{input.y}} b }} {"c":{"d":1}}')
    expect(parts.map((part) => (typeof part === 'string' ? part : part.text))).toEqual([
      'a ',
      '{{input.x}}',
      '{{input.y}}',
      ' b }} {"c":{"d":1}}',
    ])
  })

  test('a placeholder of a secret is text, however long its path is', () => {
    const long = `{{secret:$.input.${'a'.repeat(2_000)}}}`
    expect(partsOf(`a {{secret:$.input.b}} ${long}`).join('')).toBe(`a {{secret:$.input.b}} ${long}`)
    expect(partsOf('{{secret:$.input.b}}')).toEqual(['{{secret:$.input.b}}'])
    expect(problemOf('{{secret:$.input.b')).toContain('not closed')
    expect(problemOf('{{ secret:$.input.b }}')).toContain('must name input')
  })

  test('text without templates is one part, empty text has no parts', () => {
    expect(partsOf('plain { text }')).toEqual(['plain { text }'])
    expect(partsOf('')).toEqual([])
  })
})

describe('malformed templates', () => {
  test.each([
    ['{{', 'not closed'],
    ['a {{input.x', 'not closed'],
    ['{{input.x} }', 'not closed'],
    ['{{}}', 'must name input'],
    ['{{ }}', 'must name input'],
    ['{{foo}}', 'must name input'],
    ['{{inputs.a}}', 'must name input'],
    ['{{Input.a}}', 'must name input'],
    ['{{env.HOME}}', 'must name input'],
    ['{{signal}}', 'must name input'],
    ['{{signal.action}}', 'must name input'],
    ['{{steps}}', 'must name input'],
    ['{{steps.a}}', 'must have .content or .output after the step id'],
    ['{{steps.a.result}}', 'must have .content or .output after the step id'],
    ['{{steps.a.contents}}', 'must have .content or .output after the step id'],
    ['{{steps.b.content}}', 'names an unknown step'],
    ['{{steps.toString.output}}', 'names an unknown step'],
    ['{{steps..content}}', 'names an unknown step'],
    ['{{steps.a.content.x}}', 'has a path after content'],
    ['{{input.}}', 'has a malformed path'],
    ['{{input..a}}', 'has a malformed path'],
    ['{{input.a.}}', 'has a malformed path'],
    ['{{input.a[}}', 'has a malformed path'],
    ['{{input.a[]}}', 'has a malformed path'],
    ['{{input.a[x]}}', 'has a malformed path'],
    ['{{input.a[-1]}}', 'has a malformed path'],
    ['{{input.a[01]}}', 'has a malformed path'],
    ["{{input['a']}}", 'has a malformed path'],
    ['{{{input.a}}}', 'must name input'],
    ['{{ {{input.a}} }}', 'must name input'],
  ])('%s', (text, problem) => {
    expect(problemOf(text)).toContain(problem)
  })

  test('the first of several is named', () => {
    expect(problemOf('{{input.a}} {{one}} {{two}}')).toContain('{{one}}')
  })

  test('a template is at most 1,024 characters long, braces included', () => {
    const ofLength = (length: number) => `{{input.${'a'.repeat(length - '{{input.}}'.length)}}}`
    expect(problemOf(ofLength(1_024))).toBeUndefined()
    expect(problemOf(ofLength(1_025))).toBe('a template is longer than 1024 characters')
  })

  test('hostile texts are refused quickly and briefly', () => {
    const hostile = ['{{'.repeat(2_000_000), `${'{{'.repeat(1_000_000)}}}`, `{{steps.${'a.output.'.repeat(200_000)}}}`]
    for (const text of hostile) expect(problemOf(text)?.length).toBeLessThan(200)
  })
})
