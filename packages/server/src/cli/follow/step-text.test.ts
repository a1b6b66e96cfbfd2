import { expect, test } from 'vitest'
import type { Io } from '../output/io.ts'
import { Screen } from './screen.ts'
import { StepText } from './step-text.ts'

function screenOf(columns?: number) {
  const written: string[] = []
  const stderr = { isTTY: columns !== undefined, columns, write: (text: string) => written.push(text) }
  const screen = new Screen({ stdin: process.stdin, stdout: stderr, stderr, env: { NO_COLOR: '1' } } satisfies Io)
  return { text: new StepText(screen), shown: () => written.join('') }
}

test('the words of a single step appear as they come', () => {
  const { text, shown } = screenOf(80)
  text.begin('1', 'one')
  text.push('1', 'Hello wor')
  expect(shown()).toBe('one │ Hello ')
  text.push('1', 'ld, ')
  expect(shown()).toBe('one │ Hello world, ')
  text.end('1')
  expect(shown()).toBe('one │ Hello world, \n')
})

test('of a word that does not end, no more than 100 characters are held back', () => {
  const { text, shown } = screenOf()
  text.begin('1', 'one')
  text.push('1', `a b${'x'.repeat(99)}`)
  expect(shown()).toBe('one │ a ')
  text.push('1', 'xx')
  expect(shown()).toBe('one │ a bx')
})

test('a terminal wraps between words, and every line has the name', () => {
  const { text, shown } = screenOf(30)
  text.begin('1', 'one')
  text.push('1', 'aaaa bbbb cccc dddd eeee ffff gggg\nsecond')
  text.end('1')
  expect(shown()).toBe('one │ aaaa bbbb cccc dddd \none │ eeee ffff gggg\none │ second\n')
})

test('steps side by side show whole lines', () => {
  const { text, shown } = screenOf()
  text.begin('1', 'one')
  text.push('1', 'first ')
  text.begin('2', 'two')
  text.push('2', 'uno ')
  text.push('1', 'line\nand ')
  text.push('2', 'dos\n')
  text.end('1')
  expect(shown()).toBe('one │ first \none │ line\ntwo │ uno dos\none │ and \n')
})

test('a note does not split a line', () => {
  const { text, shown } = screenOf(80)
  text.begin('1', 'one')
  text.push('1', 'I compute')
  text.note('1', '→ calculator')
  expect(shown()).toBe('one │ I compute\none │ → calculator\n')
})
