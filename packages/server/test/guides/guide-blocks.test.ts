// How the blocks of a guide are read, and how what they print is compared.
import { describe, expect, test } from 'vitest'
import { containsExpected, expectedOutput, plainOutput } from './expected-output.ts'
import { readGuide } from './guide-blocks.ts'

const fence = (info: string, text = 'x') => `\`\`\`${info}\n${text}\n\`\`\`\n`

describe('a block', () => {
  test.each([
    ['sh', { kind: 'command', onTerminal: false, exitCode: 0 }],
    ['sh terminal exit=1', { kind: 'command', onTerminal: true, exitCode: 1 }],
    ['sh service=web', { kind: 'service', name: 'web' }],
    ['sh setup', { kind: 'shown' }],
    ['js file=tools/a.mjs', { kind: 'file', path: 'tools/a.mjs', text: 'x\n' }],
  ])('of %s is read', (info, expected) => {
    expect(readGuide(fence(info))).toEqual([expect.objectContaining(expected)])
  })

  test('after a command is what the command prints', () => {
    const blocks = readGuide(`${fence('sh')}${fence('text type="Too late"')}\nMore:\n${fence('json')}`)
    expect(blocks.slice(1)).toEqual([
      { kind: 'output', line: 4, text: 'x\n', answer: 'Too late' },
      { kind: 'output', line: 9, text: 'x\n', answer: undefined },
    ])
  })

  test.each(['sh terminl', 'js file=a.mjs setup', 'sh service exit=1'])('of %s is refused', (info) => {
    expect(() => readGuide(fence(info))).toThrow(/^line 1: unknown word/)
  })

  test.each([fence('json'), fence('sh setup') + fence('text'), fence('sh') + fence('text') + fence('text')])(
    'that nothing runs is refused',
    (markdown) => {
      expect(() => readGuide(markdown)).toThrow('nothing runs this block')
    },
  )
})

describe('expected output', () => {
  const matches = (text: string, output: string) => expectedOutput(text, { isLast: true }).test(output)

  test.each([
    ['a … c\n', 'a b c\n', true],
    ['a … c\n', 'a b\nc\n', false],
    ['a\n…\nd\n', 'a\nb\nc\nd\n', true],
    ['a\n…\nd\n', 'a\nd\n', true],
    ['a\n…\n', 'a\nb\n', true],
    ['a\n', 'a\nb\n', false],
    ['(a)*\n', '(a)*\n', true],
    ['a\n', 'ba\n', false],
  ])('%j against %j', (text, output, expected) => {
    expect(matches(text, output)).toBe(expected)
  })

  test('of a service can stand anywhere in what it prints', () => {
    expect(containsExpected('log\nReady.\n  API x\nlog\n', 'Ready.\n  API …\n')).toBe(true)
    expect(containsExpected('log\nReady.\nlog\n', 'Ready.\n  API …\n')).toBe(false)
  })

  test('has no colors, no cursor movements and no blanks at the end of a line', () => {
    expect(plainOutput('\u001b[32ma\u001b[0m \u001b[2K\r\nb')).toBe('a\nb')
  })
})
