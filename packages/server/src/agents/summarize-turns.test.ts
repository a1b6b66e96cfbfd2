import { expect, test } from 'vitest'
import type { CallResultEntry } from '../domain/run/journal.ts'
import { prompts } from './load-prompt.ts'
import { type SummaryRequest, summaryMessages } from './summarize-turns.ts'
import type { WorkerTurn } from './worker-loop.ts'

const turn = (text: string, result: CallResultEntry): WorkerTurn => ({
  reply: {
    text,
    calls: [{ callId: 'call_1', modelCallId: 'm1', name: 'pay', input: { sum: 4 } }],
    model: 'test/m',
  },
  results: [result],
})
const turns = [
  turn('let me pay', { outcome: 'succeeded', output: { receipt: 'r1' } }),
  turn('', { outcome: 'failed', message: 'no money' }),
]

function prompt(part: Partial<SummaryRequest> = {}): string {
  const request = { instruction: 'Pay it', before: undefined, turns, maxLength: 10_000, ...part }
  const [system, user] = summaryMessages(request)
  expect(system).toEqual({ from: 'system', text: prompts.summary.text })
  return (user as { text: string }).text
}

test('the request contains the step, and its turns as data: texts, calls and results', () => {
  expect(prompt()).toBe(
    [
      'The step: Pay it',
      '',
      '<data name="turns">',
      'Turn 1:',
      'let me pay',
      'called pay({"sum":4})',
      'pay returned: {"receipt":"r1"}',
      '',
      'Turn 2:',
      'called pay({"sum":4})',
      'pay returned a failure: "no money"',
      '</data>',
    ].join('\n'),
  )
})

test('an earlier summary comes before the turns', () => {
  expect(prompt({ before: 'It began.' })).toContain(
    '<data name="summary of earlier turns">\nIt began.\n</data>\n\n<data name="turns">',
  )
})

test('without an instruction the step does what the input asks for', () => {
  expect(prompt({ instruction: '' })).toContain('The step: do what the input asks for')
})

test('each turn gets its share of the space, and says what is missing', () => {
  const long = Array.from({ length: 10 }, (_, n) => turn(`T${n}`, { outcome: 'succeeded', output: 'x'.repeat(9_000) }))
  const text = prompt({ turns: long, maxLength: 10_000 })
  for (const n of [0, 5, 9]) expect(text).toContain(`\nT${n}\n`)
  expect(text.match(/more characters are not shown/g)).toHaveLength(10)
  expect(text.length).toBeLessThan(12_000)
})
