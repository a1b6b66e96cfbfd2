import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, test } from 'vitest'
import { measurePattern } from './pattern-size.ts'

const sizeOf = (pattern: string) => measurePattern(pattern)?.size
/** Every program has two instructions that belong to no part of the pattern. */
const programSizeOf = (pattern: string) => RE2JS.compile(pattern).programSize() - 2

describe('the size of a pattern is that of its program', () => {
  test.each([
    'abc',
    'a|b|cd|',
    'a*b+c?d*?',
    'a{3}b{2,}c{0,5}d{1}e{0}',
    '(a)(?:b)(?P<n>c)(?<m>d)',
    '(?:(?:ab){3}|c){20}',
    '(?:x?){500}[yz]$',
    '^.\\b\\B\\A\\z$',
    '\\d\\w\\s\\D\\x41\\x{1F600}\\101\\n\\.😀',
    '[abc][^a-z][]a][^]a][a\\]-z][[:alpha:]x][[a]',
    '\\Qa.b*\\E+',
    '\\Qa.b',
    'a{,5}b{x}c{01}{',
    '(?i)k(?s-m:.)(?U)x',
  ])('%s', (pattern) => {
    const size = sizeOf(pattern) as number
    const program = programSizeOf(pattern)
    expect(size).toBeGreaterThanOrEqual(program)
    // Classes count as more than one instruction, and the compiler simplifies a little.
    expect(size).toBeLessThanOrEqual(program * 1.5 + 12)
  })
})

test.each([
  ['a{0,1000}'.repeat(400), 800_000],
  ['(?:(?:a{30}){30})', 900],
  [`${'(?:'.repeat(40)}a${'){8}'.repeat(40)}`, 8 ** 40],
  ['\\pL'.repeat(100), 100 * 51],
  ['[\\pL\\p{Greek}x]', 104],
  // Each of these takes 5 ms to compile.
  ['(?i)[B-\\x{1E000}]'.repeat(10), 24_000],
])('case %# counts repetitions and classes', (pattern, size) => {
  expect(sizeOf(pattern)).toBeGreaterThanOrEqual(size)
  expect(sizeOf(pattern)).toBeLessThan(size * 1.1)
})

test.each(['(', '(?', '(?i', 'a)', '[', '[^', '[]', '[a-', '\\', '[\\', '\\p', '\\p{L', '[\\p{'])(
  '%s cannot be measured',
  (pattern) => {
    expect(measurePattern(pattern)).toBeUndefined()
  },
)

test('the depth is that of the groups', () => {
  expect(measurePattern('a')?.depth).toBe(0)
  expect(measurePattern('(a(?:b)|(c))(?i)(d)')?.depth).toBe(2)
})

const literal = fc.constantFrom('a', 'B', '\\d', '.', '^', '\\.', '[a-z]', '[^\\w-]', '\\x41', '😀', '\\Qx?\\E', '')
const { pattern: anyPattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    literal,
    fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map((parts) => `(?:${parts.join('|')})`),
    tie('pattern').map((part) => `(${part})`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '*?', '{3}', '{0,4}', '{2,}', '{0}', '{1,2}?'))
      .map(([part, repeat]) => `(?:${part})${repeat}`),
  ),
}))

test('no pattern has a larger program than its size', () => {
  fc.assert(
    fc.property(anyPattern, (pattern) => {
      const size = sizeOf(pattern) as number
      expect(size).toBeGreaterThanOrEqual(programSizeOf(pattern))
    }),
    { numRuns: 2_000 },
  )
})

test('any text that compiles is measured', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'([{\\x:pP?i<>^-|*+,1}])Qa😀'), maxLength: 60 }), (pattern) => {
      let program: number
      try {
        program = programSizeOf(pattern)
      } catch {
        return
      }
      expect(sizeOf(pattern) ?? 0).toBeGreaterThanOrEqual(program)
    }),
    { numRuns: 5_000 },
  )
})
