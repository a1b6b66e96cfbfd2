import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { frontMatter } from './front-matter.ts'

const titleIn = (text: string) => text.split('\n')[1]?.slice('title: '.length) ?? ''

describe('front matter', () => {
  test('is between two lines of dashes, one field per line', () => {
    const fields = { title: 'Limit', tags: ['a', 'b'], none: [], confidence: 0.5, harness: false, run_id: null }
    expect(frontMatter(fields)).toBe(
      '---\ntitle: "Limit"\ntags: ["a", "b"]\nnone: []\nconfidence: 0.5\nharness: false\nrun_id: null\n---\n',
    )
  })

  test.each([
    ['a: b', '"a: b"'],
    ['say "hi"', '"say \\"hi\\""'],
    ['back\\slash', '"back\\\\slash"'],
    ['---\n# no\r\n', '"---\\n# no\\r\\n"'],
    ['no', '"no"'],
    ['2026-11-15', '"2026-11-15"'],
    ['', '""'],
    ['日本 🚀', '"日本 🚀"'],
    ['\u0000\u0007\t', '"\\u0000\\u0007\\t"'],
    ['\u007f\u0085\u009f\u2028\u2029\ufeff\uffff', '"\\u007f\\u0085\\u009f\\u2028\\u2029\\ufeff\\uffff"'],
  ])('%j is written as %s', (text, written) => {
    expect(titleIn(frontMatter({ title: text }))).toBe(written)
  })

  test.each([
    [0, '0'],
    [1, '1'],
    [0.1, '0.1'],
    [1e-7, '1.0e-7'],
    [1.5e-7, '1.5e-7'],
  ])('the number %d is written as %s', (value, written) => {
    expect(titleIn(frontMatter({ title: value }))).toBe(written)
  })

  test('any text stays on its line and reads back the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const written = titleIn(frontMatter({ title: text }))
        expect(JSON.parse(written)).toBe(text)
        expect(written).not.toMatch(/[\p{Cc}\u2028\u2029\ufeff]/u)
      }),
    )
  })
})
