import { describe, expect, test } from 'vitest'
import { isCut, readOn, showResult } from './show-result.ts'
import { maxShownLength } from './value-text.ts'

describe('a result', () => {
  test.each([4, null, { n: 4 }, 'text', 'x'.repeat(maxShownLength)])(
    'case %#: that fits is shown as it is',
    (output) => {
      expect(isCut(output)).toBe(false)
      expect(showResult('call_1', output)).toBe(output)
    },
  )

  test('that is too long is cut, with its length and how to read the rest', () => {
    const output = 'x'.repeat(900_000)
    expect(isCut(output)).toBe(true)
    expect(showResult('call_1', output)).toMatch(
      /^\[.*has 900000 characters; the first 16000 .*read_result with call_id "call_1" and an offset.*\]\n\nx{16000}$/,
    )
  })

  test('that is not text is cut as JSON', () => {
    expect(showResult('call_1', { list: [1, 2, 3] }, 8)).toMatch(/\]\n\n\{"list":$/)
    expect(isCut({ list: [1, 2, 3] }, 16)).toBe(false)
    expect(isCut({ list: [1, 2, 3] }, 15)).toBe(true)
  })
})

describe('reading on', () => {
  test('returns the part, and where the next one starts', () => {
    expect(readOn('abcdefgh', 2, 3)).toEqual({ offset: 2, text: 'cde', length: 8, next_offset: 5 })
    expect(readOn('abcdefgh', 5, 3)).toEqual({ offset: 5, text: 'fgh', length: 8 })
    expect(readOn('abcdefgh', 50)).toEqual({ offset: 50, text: '', length: 8 })
    expect(readOn({ a: 1 }, 0)).toEqual({ offset: 0, text: '{"a":1}', length: 7 })
  })

  test('never returns more than is shown at once', () => {
    const read = readOn('x'.repeat(50_000), 0, 40_000)
    expect([read.text.length, read.next_offset]).toEqual([maxShownLength, maxShownLength])
  })

  test('part by part returns all of it, and splits no character', () => {
    const output = '😀'.repeat(10)
    let text = ''
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const part: ReturnType<typeof readOn> = readOn(output, offset, 5)
      expect(part.text).not.toMatch(/\p{Surrogate}/u)
      text += part.text
      offset = part.next_offset
    }
    expect(text).toBe(output)
  })
})
