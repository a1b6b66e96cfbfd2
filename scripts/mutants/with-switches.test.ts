import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { mutantsOf } from './mutate.mjs'
import { withSwitches } from './with-switches.mjs'

test.each([
  '2 < 2',
  '(1 === 1) && !(2 === 2)',
  'let a = 0; a = 5; a',
  'let a = 0; if (a === 0) a = 5; a',
  'const list = [1, 2]; list.push(3); list.length - 2 || 7',
  '(() => { if (1 > 2) return 3\n return 4 })()',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the code has a placeholder
  '`select ${1 + 1} where a and b and c`',
])('one copy of %s behaves like the code and like each of its mutants', (source) => {
  const mutants = mutantsOf(source, 'a.ts').map((mutant, index) => ({ ...mutant, id: index + 1 }))
  const copy = withSwitches(source, mutants)
  const valueOfCopy = (active: number) => runInNewContext(copy, { $mutant: (id: number) => id === active })
  expect(valueOfCopy(0)).toBe(runInNewContext(source))
  for (const { id, start, end, text = ';' } of mutants) {
    expect(valueOfCopy(id)).toBe(runInNewContext(source.slice(0, start) + text + source.slice(end)))
  }
})
