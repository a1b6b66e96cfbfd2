import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { estimateTokens } from '../../models/port/estimate-tokens.ts'
import { builtInTools } from '../built-in/built-in-tools.ts'
import { memorySaveDescription } from '../built-in/memory-save.ts'
import { memorySearchDescription } from '../built-in/memory-search.ts'
import { ToolCatalogue } from './catalogue.ts'
import type { Tool, ToolSource } from './tool.ts'

const tool = (name: string): Tool => ({
  name,
  description: `Does ${name}`,
  input: z.strictObject({ url: z.url(), method: z.enum(['GET', 'POST']).default('GET') }),
  effectOf: () => 'read',
  timeoutSeconds: 1,
  run: async () => null,
})
const names = (offers: readonly { readonly name: string }[]) => offers.map(({ name }) => name)

describe('finding', () => {
  const [a, b] = [tool('a'), tool('b')]
  const catalogue = new ToolCatalogue([b, a])

  test('finds a tool by its name, and nothing by another', () => {
    expect(catalogue.find('a')).toBe(a)
    expect(catalogue.find('c')).toBeUndefined()
    expect(catalogue.find('toString')).toBeUndefined()
  })

  test('knows its names', () => {
    expect([...catalogue.names]).toEqual(['b', 'a'])
  })

  test('two tools of one name are refused', () => {
    expect(() => new ToolCatalogue([a, tool('a')])).toThrow('two tools are named "a"')
  })

  test('tools that come and go are found while they are there, after those that stay', () => {
    const foreign: Tool[] = []
    const source: ToolSource = {
      tools: () => foreign,
      find: (name) => foreign.find((one) => one.name === name),
      whenListed: async () => undefined,
      whenTried: async () => undefined,
      absence: (name) =>
        name.startsWith('far.') && foreign.length === 0 ? { kind: 'away', message: 'Far.' } : undefined,
    }
    const mixed = new ToolCatalogue([b], [source])
    expect(['b', 'far.away', 'near.by'].map((name) => mixed.absence(name)?.kind)).toEqual([
      undefined,
      'away',
      'unknown',
    ])
    expect(mixed.find('far.away')).toBeUndefined()
    const far = { ...tool('far.away'), inputSchema: { type: 'object', title: 'its own' } }
    foreign.push(far)
    expect(mixed.find('far.away')).toBe(far)
    expect([...mixed.names]).toEqual(['b', 'far.away'])
    expect(mixed.offers()[1]?.inputSchema).toEqual({ type: 'object', title: 'its own' })
  })

  test.each([[''], ['a b'], ['.a'], ['a.'], ['ä'], ['x'.repeat(65)]])('the name %j is refused', (name) => {
    expect(() => new ToolCatalogue([tool(name)])).toThrow('must match')
  })
})

describe('offers', () => {
  const catalogue = new ToolCatalogue([tool('b'), tool('a'), tool('c')])

  test('all tools in their order', () => {
    expect(names(catalogue.offers())).toEqual(['b', 'a', 'c'])
  })

  test('those asked for, once each, in the same order', () => {
    expect(names(catalogue.offers(['c', 'b', 'c']))).toEqual(['b', 'c'])
    expect(catalogue.offers([])).toEqual([])
  })

  test('a missing tool is skipped', () => {
    expect(names(catalogue.offers(['gone', 'a']))).toEqual(['a'])
  })

  test('changes of the returned list have no effect', () => {
    catalogue.offers().pop()
    expect(catalogue.offers()).toHaveLength(3)
  })

  test('a tool that must be named only where it is named, or where all are listed', () => {
    const rare = { ...tool('rare'), isOfferedByName: true }
    const some = new ToolCatalogue([tool('a'), rare])
    expect(names(some.offers())).toEqual(['a'])
    expect(names(some.offers(['rare']))).toEqual(['rare'])
    expect(names(some.offers('all'))).toEqual(['a', 'rare'])
    expect(some.find('rare')).toBe(rare)
  })

  test('the limits of texts and lists are left out, and names of properties are kept', () => {
    const input = z.strictObject({ maxLength: z.string().min(1).max(5), list: z.array(z.string().max(3)).max(2) })
    const [offer] = new ToolCatalogue([{ ...tool('a'), input } as unknown as Tool]).offers()
    expect(offer?.inputSchema).toMatchObject({
      properties: { maxLength: { type: 'string' }, list: { type: 'array', items: { type: 'string' } } },
      required: ['maxLength', 'list'],
    })
    expect(JSON.stringify(offer?.inputSchema)).not.toMatch(/maxItems|minLength|:5/)
  })

  test('the built-in tools cost two thirds of what they cost before, and less than half where none is named', () => {
    const notes = [memorySaveDescription, memorySearchDescription] as unknown as Tool[]
    const all = new ToolCatalogue([...builtInTools(), ...notes])
    const tokensOf = (offers: unknown[]) =>
      offers.reduce<number>((sum, one) => sum + estimateTokens(JSON.stringify(one)), 0)
    const before = 1_004
    expect(tokensOf(all.offers('all'))).toBeLessThan(before * 0.7)
    expect(tokensOf(all.offers())).toBeLessThan(before * 0.48)
  })

  test('a schema describes the input before defaults and transformations', () => {
    expect(catalogue.offers(['a'])).toEqual([
      {
        name: 'a',
        description: 'Does a',
        inputSchema: {
          type: 'object',
          properties: {
            url: { type: 'string', format: 'uri' },
            method: { type: 'string', enum: ['GET', 'POST'], default: 'GET' },
          },
          required: ['url'],
        },
      },
    ])
  })

  test('the schemas of the built-in tools', () => {
    const schemas = new ToolCatalogue(builtInTools()).offers('all').map(({ name, inputSchema }) => [name, inputSchema])
    const object = { type: 'object' }
    expect(Object.fromEntries(schemas)).toEqual({
      calculator: {
        ...object,
        properties: { expression: { type: 'string', description: expect.any(String) } },
        required: ['expression'],
      },
      current_time: { ...object, properties: {} },
      wait: {
        ...object,
        properties: { seconds: { type: 'number', minimum: 0, maximum: 86_400 } },
        required: ['seconds'],
      },
      http_fetch: {
        ...object,
        properties: {
          url: { type: 'string', description: expect.any(String) },
          method: {
            type: 'string',
            enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
            description: expect.any(String),
          },
          headers: { type: 'object', additionalProperties: { type: 'string' } },
          body: { description: expect.any(String) },
        },
        required: ['url'],
      },
      run_javascript: {
        ...object,
        properties: {
          code: { type: 'string', description: expect.any(String) },
          input: { description: expect.any(String) },
        },
        required: ['code'],
      },
      json_query: {
        ...object,
        properties: {
          json: { description: expect.any(String) },
          path: { type: 'string', description: expect.any(String) },
        },
        required: ['json', 'path'],
      },
    })
  })
})
