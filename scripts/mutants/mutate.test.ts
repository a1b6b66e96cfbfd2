import { expect, test } from 'vitest'
import { mutantsOf } from './mutate.mjs'

const mutated = (source: string) =>
  mutantsOf(source, 'a.ts').map(({ start, end, text = ';' }) => source.slice(0, start) + text + source.slice(end))

test.each([
  ['const a = b === c', ['const a = (b) !== (c)']],
  ['const a = b < c', ['const a = (b) <= (c)', 'const a = (b) >= (c)']],
  ['const a = b && !c', ['const a = (b) || (!c)', 'const a = b && c']],
  ['const a = b ?? c', ['const a = (b) && (c)']],
  ['if (a) b()', ['if (true) b()', 'if (false) b()', 'if (a) ;']],
  ['const a = b ? 1 : d', ['const a = true ? 1 : d', 'const a = false ? 1 : d', 'const a = b ? 2 : d']],
  ['const a: boolean = true', ['const a: boolean = false']],
  ['function a() { return b }', ['function a() { return undefined }']],
  ['function a() { return undefined }', []],
  ['await save()', [';']],
  ['this.a = b', [';']],
  ['const a = { 1: b }', []],
  ['type A = 1 | 2', []],
  ['const a = b as 1 | 2', []],
  ['const text = `a and b`', []],
  [
    'const text = `select 1 where a <> b and c is null`',
    [
      'const text = `select 1 where a <> b or c is null`',
      'const text = `select 1 where a <> b`',
      'const text = `select 1 where a = b and c is null`',
      'const text = `select 1 where a <> b and c is not null`',
    ],
  ],
  [
    'const text = `select b where a between 1 and 2 and c < 3`',
    [
      'const text = `select b where a between 1 and 2 or c < 3`',
      'const text = `select b where a between 1 and 2`',
      'const text = `select b where a between 1 and 2 and c <= 3`',
    ],
  ],
  ['const text = `select b -- of a and b\n where c > 1`', ['const text = `select b -- of a and b\n where c >= 1`']],
])('the mutants of %s', (source, expected) => {
  expect(mutated(source)).toEqual(expected)
})

test('of a statement in SQL, the changed clause is told and not all of it', () => {
  const [first] = mutantsOf('const a = `select 1\nwhere b is null`', 'a.ts')
  expect(first).toMatchObject({ was: 'is null', at: 28 })
})
