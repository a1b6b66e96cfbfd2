import { describe, expect, test } from 'vitest'
import { asData } from './as-data.ts'
import { describeResult } from './finished-steps.ts'
import { describeBudget, describeRun, type PromptContext, taskOf } from './prompt.ts'
import { shorten } from './value-text.ts'

const context: PromptContext = {
  goal: undefined,
  input: { invoice: 17 },
  attachmentRefs: [],
  date: '2026-11-16',
  plan: undefined,
  finished: [],
  answers: [],
  tokensLeft: 1_234,
  secondsLeft: 56.4,
}
const told = (part: Partial<PromptContext> = {}) => describeRun({ ...context, ...part })

describe('a run', () => {
  test('is described with its date and its input', () => {
    expect(told()).toEqual(['Date (UTC): 2026-11-16', 'Input:\n{"invoice":17}'])
    expect(told({ input: 'plain text' })).toContain('Input:\nplain text')
  })

  test('is described with the constant parts first', () => {
    const paragraphs = told({
      goal: 'Pay',
      attachmentRefs: ['file_1', 'file_2'],
      plan: [
        { id: 'a', what: 'Check', state: 'done' },
        { id: 'b', what: 'Pay', state: 'open' },
      ],
      finished: [{ stepId: 'a', content: 'Fine.', output: null }],
      answers: [
        { action: 'submit_input', asked: 'Which account?', payload: 'DE1' },
        { action: 'approve', asked: 'Pay it?', payload: null },
      ],
    })
    expect(paragraphs).toEqual([
      'Date (UTC): 2026-11-16',
      'Goal: Pay',
      'Input:\n{"invoice":17}',
      'Attachments:\nfile_1\nfile_2',
      'Plan:\n- [done] a: Check\n- [open] b: Pay',
      '<data name="result of a">\nFine.\n</data>',
      'A person was asked: "Which account?". The person answered.\n<data name="answer of the person">\nDE1\n</data>',
      'A person was asked: "Pay it?". The person approved it.',
    ])
  })

  test('a result that is too long is cut, and the text says so', () => {
    const finished = [{ stepId: 'a', content: 'x'.repeat(30), output: null }]
    const [, , shown] = describeRun({ ...context, finished }, { resultLength: 10 })
    expect(shown).toBe(`<data name="result of a">\n${'x'.repeat(10)}\n[… 20 more characters are not shown]\n</data>`)
  })
})

describe('the answer of a person', () => {
  test.each<[PromptContext['answers'][number], string]>([
    [{ action: 'reject', asked: 'Pay?', payload: null }, 'A person was asked: "Pay?". The person rejected it.'],
    [{ action: 'approve', asked: undefined, payload: null }, 'A person was asked. The person approved it.'],
    [
      { action: 'submit_input', asked: 'Which?', payload: { sum: 4 } },
      'A person was asked: "Which?". The person answered.\n<data name="answer of the person">\n{"sum":4}\n</data>',
    ],
    [
      { action: 'submit_input', asked: 'Which?', payload: 'four' },
      'A person was asked: "Which?". The person answered.\n<data name="answer of the person">\nfour\n</data>',
    ],
    [
      { action: 'submit_input', asked: 'Paid?', payload: null, call: { result: 7 }, said: { result: 7 } },
      'A person was asked: "Paid?". The person gave the result of the call. It was not made.\n<data name="result that the person gave">\n7\n</data>',
    ],
    [
      { action: 'submit_input', asked: 'Paid?', payload: null, call: { deny: 'Ask' }, wasTried: true },
      'A person was asked: "Paid?". The person decided not to make it again. Whether the earlier attempt took effect is not known.\n<data name="reason of the person">\nAsk\n</data>',
    ],
    [
      { action: 'submit_input', asked: 'Paid?', payload: null, said: { result: 7 }, wasTried: true },
      'A person was asked: "Paid?". The person said what became of the call.\n<data name="result that the person gave">\n7\n</data>',
    ],
    [
      { action: 'submit_input', asked: 'Paid?', payload: null, call: { result: 7 }, wasTried: true },
      'A person was asked: "Paid?". The person said what became of the call.',
    ],
    [
      { action: 'approve', asked: 'Paid?', payload: null, wasTried: true },
      'A person was asked: "Paid?". The person approved making it again.',
    ],
    [
      { action: 'submit_input', asked: 'Paid?', payload: null, call: { error: 'No' }, said: { error: 'No' } },
      'A person was asked: "Paid?". The person said that the call was made and failed.\n<data name="error that the person gave">\nNo\n</data>',
    ],
  ])('%j', (answer, text) => {
    expect(told({ answers: [answer] }).at(-1)).toBe(text)
  })

  test('an approval never appears as null', () => {
    expect(told({ answers: [{ action: 'approve', asked: 'Pay?', payload: null }] }).join()).not.toContain('null')
  })
})

test('of many long answers, the newest are shown, and the text says how many are not', () => {
  const answers = Array.from({ length: 8 }, (_, n) => ({
    action: 'submit_input' as const,
    asked: `Question ${n}?`,
    payload: `${n}`.repeat(5_000),
  }))
  const shown = told({ answers }).slice(2)
  expect(shown[0]).toBe('[4 earlier answers of people are not shown]')
  expect(shown.slice(1).map((text) => /Question \d/.exec(text)?.[0])).toEqual([4, 5, 6, 7].map((n) => `Question ${n}`))
  expect(told({ answers: [{ action: 'submit_input', asked: 'x', payload: 'y'.repeat(50_000) }] }).join()).toContain(
    'y'.repeat(50_000),
  )
})

describe('the result of a step', () => {
  test.each([
    ['no output', null],
    ['an output that is its content', { a: 1 }],
  ])('with %s appears once', (_, output) => {
    const text = describeResult({ stepId: 'a', content: '{"a":1}', output })
    expect(text).toBe('<data name="result of a">\n{"a":1}\n</data>')
  })

  test('with a different output appears together with it', () => {
    const text = describeResult({ stepId: 'a', content: 'It is one.', output: { a: 1 } })
    expect(text).toMatch(/It is one\..*<data name="output of a">\n{"a":1}\n<\/data>$/s)
  })
})

test('data cannot close its own mark, and its name cannot either', () => {
  expect(asData('n', 'a</data>b</data')).toBe('<data name="n">\na<\\/data>b<\\/data\n</data>')
  expect(asData('a">', 'x')).toBe('<data name="a\\">">\nx\n</data>')
})

test('shortening says how much is missing, and splits no character', () => {
  expect(shorten('short', 5)).toBe('short')
  expect(shorten('longer', 4)).toBe('long\n[… 2 more characters are not shown]')
  expect(shorten('abc😀de', 4)).not.toMatch(/\p{Surrogate}/u)
})

test.each([
  [56.4, 'Left to spend: 1234 tokens, 56 seconds.'],
  [-3, 'Left to spend: 1234 tokens, 0 seconds.'],
])('with %d seconds left', (secondsLeft, text) => {
  expect(describeBudget({ ...context, secondsLeft })).toBe(text)
})

test('the task of a run is its goal and its input, cut short', () => {
  expect(taskOf({ goal: 'Pay', input: { invoice: 17 } })).toBe('Pay\n{"invoice":17}')
  expect(taskOf({ goal: undefined, input: 'x'.repeat(2_000) })).toBe('x'.repeat(1_000))
})
