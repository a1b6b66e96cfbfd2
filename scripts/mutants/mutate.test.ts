import { expect, test } from 'vitest'
import { apply, mutantsOf } from './mutate.mjs'

const mutated = (source: string) => mutantsOf(source, 'a.ts').map((mutant) => apply(source, mutant))

test.each([
  ['const a = b === c', ['const a = ((b) !== (c))']],
  ['const a = b && !c', ['const a = ((b) || (!c))', 'const a = b && (c)']],
  ['if (a) b()', ['if (true) b()', 'if (false) b()', 'if (a) ;']],
  ['const a = b ? 1 : d', ['const a = true ? 1 : d', 'const a = false ? 1 : d', 'const a = b ? 2 : d']],
  ['const a: boolean = true', ['const a: boolean = false']],
  ['await save()', [';']],
  ['type A = 1 | 2', []],
  ['const text = `a and b`', []],
  [
    'const text = `select 1 where a <> b and c is null`',
    [
      'const text = `select 1 where a <> b or c is null`',
      'const text = `select 1 where a = b and c is null`',
      'const text = `select 1 where a <> b and c is not null`',
    ],
  ],
])('the mutants of %s', (source, expected) => {
  expect(mutated(source)).toEqual(expected)
})
