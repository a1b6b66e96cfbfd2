import { expect, test } from 'vitest'
import { finish } from '../../domain/finish.ts'
import type { ToolOffer } from '../../tools/port/catalogue.ts'
import { isCut } from '../show-result.ts'
import { findTools } from './found-tools.ts'

const tool = (name: string, part: Partial<ToolOffer> = {}): ToolOffer => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: { to: { type: 'string' } } },
  ...part,
})
const many = (count: number, part?: Partial<ToolOffer>) =>
  Array.from({ length: count }, (_, n) => tool(`bank.pay_${String(n).padStart(3, '0')}`, part))
const find = (tools: readonly ToolOffer[], query: string) => finish(findTools(tools, query))

test('a match comes with all that a call needs', () => {
  const pay = tool('bank.pay')
  expect(find([pay, tool('mail.send')], 'pay')).toEqual({
    tools: [{ name: 'bank.pay', description: 'Does bank.pay.', input_schema: pay.inputSchema }],
  })
})

test('of many matches the best are shown, and the others counted', () => {
  const { tools, more, note } = find(many(40), 'pay')
  expect(tools.map(({ name }) => name)).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((n) => `bank.pay_00${n}`))
  expect([more, note]).toEqual([32, 'More tools match. Search with other words to see them.'])
})

test('what matches nothing gets the names of all tools', () => {
  expect(find([tool('b.y'), tool('a.x')], 'zebra')).toEqual({
    tools: [],
    note: 'No tool matches these words. These are the names of all tools. Search with words of one of them.',
    names: ['a.x', 'b.y'],
  })
  const { names = [], note } = find(many(2_000), '')
  expect(names.length).toBeLessThan(700)
  expect(note).toContain(`These are names of tools, and ${2_000 - names.length} more are not listed.`)
  expect(find([], 'pay')).toEqual({ tools: [], note: 'There are no tools to search for now.' })
})

test('a prompt shows the answer whole, whatever servers say about their tools', () => {
  const properties = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`field_${n}`, { type: 'string' }]))
  const large = { description: 'd'.repeat(4_000), inputSchema: { type: 'object', properties } }
  const { tools } = find(many(40, large), 'pay')
  expect(tools[0]).toMatchObject({
    arguments: expect.stringMatching(/^bank\.pay_000\(field_0\?: string, .*… \d+ more\)$/),
    note: 'The input schema is too long to be shown.',
  })
  const half = { description: 'd'.repeat(4_000), inputSchema: { type: 'object', description: 's'.repeat(5_000) } }
  for (const part of [large, half]) expect(isCut(find(many(40, part), 'pay'))).toBe(false)
  expect(find(many(40, half), 'pay')).toMatchObject({ more: 39 })
})
