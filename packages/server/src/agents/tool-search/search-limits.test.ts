import { expect, test } from 'vitest'
import type { ToolOffer } from '../../tools/port/catalogue.ts'
import { exceedsLimits, splitTools } from './search-limits.ts'

const tool = (name: string, description = ''): ToolOffer => ({ name, description, inputSchema: { type: 'object' } })
const tools = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => tool(`${prefix}${n}`))
const namesOf = (offers: readonly ToolOffer[]) => offers.map(({ name }) => name)

test('30 tools are offered, and 31 are too many', () => {
  expect([exceedsLimits(tools(30, 'a.')), exceedsLimits(tools(31, 'a.'))]).toEqual([false, true])
})

test('so are fewer tools whose schemas have more than 8,000 tokens together', () => {
  const overhead = JSON.stringify(tool('a')).length
  const ofTokens = (tokens: number) => tool('a', 'x'.repeat(tokens * 4 - overhead))
  expect(exceedsLimits([ofTokens(4_000), ofTokens(4_000)])).toBe(false)
  expect(exceedsLimits([ofTokens(4_000), ofTokens(4_001)])).toBe(true)
})

test('the tools of servers are searched for, and those of the service offered at once', () => {
  const all = [tool('calculator'), tool('pay'), ...tools(31, 'a.')]
  const { direct, searched } = splitTools(all)
  expect(namesOf(direct)).toEqual(['calculator', 'pay'])
  expect(searched.length).toBe(31)
})

test('own tools are searched for, too, if they alone are too many', () => {
  const { direct, searched } = splitTools([tool('calculator'), ...tools(31, 'own_'), tool('memory_save'), tool('a.b')])
  expect(namesOf(direct)).toEqual(['calculator', 'memory_save'])
  expect(searched.length).toBe(32)
})
