import { describe, expect, test } from 'vitest'
import { toolContext } from '../../../test/support/tool-context.ts'
import { ToolCatalogue } from '../port/catalogue.ts'
import { invokeTool } from '../port/invoke.ts'
import { jsonQuery, maxPathLength } from './json-query.ts'

const context = toolContext()
const catalogue = new ToolCatalogue([jsonQuery])
const call = (input: unknown) => invokeTool({ catalogue, name: 'json_query', input, allowed: undefined, context })
const failed = (message: string) => ({ outcome: 'failed', message })

const store = {
  book: [
    { title: 'A', price: 8, tags: ['x'] },
    { title: 'B', price: 12 },
    { title: 'C', price: 9, next: { title: 'D' } },
  ],
  'odd key': null,
}

describe('selects', () => {
  test.each([
    ['$', store, [store]],
    ['$.book[1].title', store, ['B']],
    ['$.book[?@.price < 10].title', store, ['A', 'C']],
    ["$['odd key']", store, [null]],
    ['$.missing', store, []],
    ['$.book[-1].next.title', store, ['D']],
    ['$.book[::2].price', store, [8, 9]],
    ['$[?count(@.*) > 2].title', store.book, ['A', 'C']],
    ['$[?length(@.title) == 1 && !@.tags].title', store.book, ['B', 'C']],
    ['$', null, [null]],
    ['$[0]', 'a text is no list', []],
    ['$', '{"a":1}', ['{"a":1}']],
  ])('%s', async (path, json, matches) => {
    expect(await call({ json, path })).toEqual({ outcome: 'succeeded', output: { matches } })
  })

  test('descendants in the order of the document', async () => {
    const json = [{ a: 1, b: [{ a: 2 }, { a: 3 }] }, { a: 4 }]
    expect(await call({ json, path: '$..a' })).toMatchObject({ output: { matches: [1, 2, 3, 4] } })
    expect(await call({ json: [[1, [2]], [3]], path: '$..[0]' })).toMatchObject({
      output: { matches: [[1, [2]], 1, 2, 3] },
    })
  })
})

describe('refuses', () => {
  test.each([
    ['a', "input.path is not a valid JSONPath: expected '$', found 'a', at character 1."],
    ['', 'input.path is not a valid JSONPath: unexpected character or end, at character 1.'],
    ['$.a ', 'input.path is not a valid JSONPath: unexpected character or end, at character 5.'],
    ['$[', 'input.path is not a valid JSONPath: unclosed bracketed selection, at character 3.'],
    ['$[?@.a === 1]', "input.path is not a valid JSONPath: unexpected filter selector token '=', at character 10."],
    ['$[?match(@.a, "(a+)+")]', "input.path is not a valid JSONPath: no such function 'match', at character 4."],
    ['$[?search(@.a, "(a+)+")]', "input.path is not a valid JSONPath: no such function 'search', at character 4."],
    ['$[?!length(@.a)]', 'input.path is not a valid JSONPath: a query is expected here.'],
    [`$${'.a'.repeat(maxPathLength)}`, 'input.path must have at most 1024 characters.'],
  ])('%s', async (path, message) => {
    expect(await call({ json: {}, path })).toEqual(failed(message))
  })

  test.each([
    [{ path: '$' }, 'input.json is required.'],
    [{ json: 1 }, 'input.path is required.'],
    [{ json: 1, path: '$', first: true }, 'input.first is not a known field.'],
    [{ json: 1, path: ['$'] }, 'input.path must be a string.'],
  ])('%j', async (input, message) => {
    expect(await call(input)).toEqual(failed(message))
  })

  test('work without end, soon', async () => {
    const deep = Array.from({ length: 60 }).reduce<unknown>((inner) => ({ a: inner, b: inner }), 1)
    const started = performance.now()
    expect(await call({ json: deep, path: '$..*..*..*..*' })).toEqual(
      failed(
        'input.path takes too much work to evaluate on this JSON; use a more specific path with fewer `..` and filters.',
      ),
    )
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  test('matches that are too large together', async () => {
    const json = { large: 'x'.repeat(300_000) }
    const path = `$[${Array.from({ length: 4 }, () => "'large'").join()}]`
    expect(await call({ json, path })).toMatchObject(
      failed(expect.stringContaining('its output is larger than') as never),
    )
  })
})
