import fc from 'fast-check'
import { expect, test } from 'vitest'
import { longestTurnMs, promisedTurnMs } from '../../../test/support/cpu-time.ts'
import { runSliced } from '../../runtime/time-slices.ts'
import { finish } from '../finish.ts'
import { parseItems, parseLists } from './parse-items.ts'

test('the items of any array are those that JSON.parse returns', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom(0, 2), (items, spaces) => {
      const text = JSON.stringify(items, null, spaces)
      expect(finish(parseItems(text))).toEqual(JSON.parse(text))
    }),
  )
})

test.each(['[]', ' [ ] ', '[ 1 , "a,]\\"" ]', '["\\\\"]'])('%s', (text) => {
  expect(finish(parseItems(text))).toEqual(JSON.parse(text))
})

test('many megabytes do not hold the event loop', async () => {
  const item = JSON.stringify({ body: 'x"'.repeat(100_000) })
  const text = `[${Array.from({ length: 60 }, () => item).join(', ')}]`
  expect(await longestTurnMs(() => runSliced(parseItems(text)))).toBeLessThan(promisedTurnMs)
})

test('the lists of an object are those that JSON.parse returns', () => {
  const lists = fc.dictionary(
    fc.string().filter((key) => key !== '__proto__'),
    fc.array(fc.jsonValue()),
  )
  fc.assert(
    fc.property(lists, fc.constantFrom(0, 2), (value, spaces) => {
      const text = JSON.stringify(value, null, spaces)
      expect(finish(parseLists(text))).toEqual(JSON.parse(text))
    }),
  )
})
