import { describe, expect, test } from 'vitest'
import type { CallResultEntry, ReplyEntry } from '../domain/run/journal.ts'
import { decideTurn, type LoopRules, type OutputCheck, type WorkerTurn } from './worker-loop.ts'

const rules = (part: Partial<LoopRules> = {}): LoopRules => ({
  maxTurns: 50,
  outputSchema: undefined,
  checked: new Map(),
  ...part,
})

const said = (text: string, part: Partial<ReplyEntry> = {}): WorkerTurn => ({
  reply: { text, calls: [], model: 'test/m', ...part },
  results: [],
})
const cut = (text: string) => said(text, { finish: 'length' })

let calls = 0
/** A new call id each time, as in a run. */
function called(name: string, { input = {}, output = 'ok', text = '' }: Called = {}): WorkerTurn {
  calls += 1
  const call = { callId: `call_${calls}`, modelCallId: `m${calls}`, name, input }
  const result: CallResultEntry = { outcome: 'succeeded', output }
  return { reply: { text, calls: [call], model: 'test/m' }, results: [result] }
}
interface Called {
  readonly input?: unknown
  readonly output?: unknown
  readonly text?: string
}

const times = (count: number, make: (index: number) => WorkerTurn) => Array.from({ length: count }, (_, n) => make(n))
const asks = { kind: 'ask', offersTools: true, wantsJson: false }
const lastTurn = { kind: 'ask', offersTools: false, say: expect.stringContaining('your last turn') }

test('the first turn asks with tools and without a message', () => {
  expect(decideTurn([], rules())).toEqual(asks)
})

test('after a turn with tool calls: ask again', () => {
  expect(decideTurn([called('x')], rules())).toEqual(asks)
  expect(decideTurn([called('x', { text: 'let me see' })], rules())).toEqual(asks)
})

describe('the same call with the same result', () => {
  const same = (count: number) =>
    decideTurn(
      times(count, () => called('x', { input: { b: 1, a: 2 } })),
      rules(),
    )

  test('twice has no effect', () => {
    expect(same(2)).toEqual(asks)
  })

  test.each([3, 4])('%i times: the model is told', (count) => {
    const say = expect.stringContaining(`the same call ${count} times`)
    expect(same(count)).toEqual({ ...asks, say })
  })

  test('five times: one last turn follows', () => {
    expect(same(5)).toMatchObject(lastTurn)
    expect(same(5)).not.toMatchObject({ say: expect.stringContaining('times') })
  })

  test('the answer of the last turn is the result, and the note says why', () => {
    const turns = [...times(5, () => called('x')), said('what I have')]
    expect(decideTurn(turns, rules())).toEqual({
      kind: 'done',
      content: 'what I have',
      output: null,
      note: 'turn_limit',
    })
  })

  test('the order of its fields does not matter', () => {
    const turns = [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
      { a: 1, b: 2 },
    ].map((input) => called('x', { input }))
    expect(decideTurn(turns, rules())).toHaveProperty('say')
  })

  test.each<[string, (index: number) => WorkerTurn]>([
    ['other arguments', (index) => called('x', { input: { index } })],
    ['other results', (index) => called('x', { output: index })],
    ['another tool', (index) => called(`x${index}`)],
  ])('%s: not the same', (_, make) => {
    expect(decideTurn(times(6, make), rules())).toEqual(asks)
  })

  test('counts only in a row', () => {
    const turns = [called('x'), called('x'), called('y'), called('x'), called('x')]
    expect(decideTurn(turns, rules())).toEqual(asks)
  })
})

describe('the turn limit', () => {
  test.each([
    [1, 0],
    [2, 1],
    [4, 3],
  ])('of %i: after %i turns the last one', (maxTurns, before) => {
    const turns = times(before, (index) => called(`x${index}`))
    expect(decideTurn(turns, rules({ maxTurns }))).toMatchObject(lastTurn)
    if (before > 0) expect(decideTurn(turns.slice(1), rules({ maxTurns }))).toMatchObject(asks)
  })

  test('the last answer is the result, whatever else it asks for', () => {
    const turns = [called('x'), called('y', { text: 'best I have' })]
    const decision = decideTurn(turns, rules({ maxTurns: 2 }))
    expect(decision).toEqual({ kind: 'done', content: 'best I have', output: null, note: 'turn_limit' })
  })

  test('an answer before the limit has no note', () => {
    expect(decideTurn([called('x'), said('done')], rules({ maxTurns: 3 }))).not.toHaveProperty('note')
  })

  test('no answer at all is a failure', () => {
    const decision = decideTurn([called('x'), called('y')], rules({ maxTurns: 2 }))
    expect(decision).toMatchObject({ kind: 'fail', reasonCode: 'empty_reply' })
  })
})

describe('an answer cut at the length limit', () => {
  test.each([1, 2, 3])('%i times: the model is asked to continue', (count) => {
    const decision = decideTurn(
      times(count, () => cut('piece')),
      rules(),
    )
    expect(decision).toEqual({ ...asks, say: expect.stringContaining('Go on exactly where it ends') })
  })

  test('four times: a failure', () => {
    const decision = decideTurn(
      times(4, () => cut('piece')),
      rules(),
    )
    expect(decision).toMatchObject({ kind: 'fail', reasonCode: 'reply_truncated' })
  })

  test('its pieces together are the result', () => {
    const turns = [called('x', { text: 'looking' }), cut('one '), cut('two '), said('three')]
    expect(decideTurn(turns, rules())).toMatchObject({ kind: 'done', content: 'one two three' })
  })

  test('JSON in pieces is read as one', () => {
    expect(decideTurn([cut('{"a":'), said('1}')], rules())).toMatchObject({ kind: 'done', output: { a: 1 } })
  })

  test('pieces before a tool call do not count', () => {
    const turns = [cut('a'), cut('b'), cut('c'), called('x'), cut('d')]
    expect(decideTurn(turns, rules())).toMatchObject({ kind: 'ask' })
    expect(decideTurn([...turns, said('e')], rules())).toMatchObject({ content: 'de' })
  })
})

describe('an empty answer', () => {
  test.each(['', '  \n', '<think>I know nothing.</think>', '<think>never closed'])(
    '%j is asked for once more',
    (text) => {
      expect(decideTurn([said(text)], rules())).toEqual({ ...asks, say: expect.stringContaining('was empty') })
    },
  )

  test('twice in a row is a failure', () => {
    expect(decideTurn([said(''), said('')], rules())).toMatchObject({ kind: 'fail', reasonCode: 'empty_reply' })
  })

  test('a call in between gives another chance', () => {
    expect(decideTurn([said(''), called('x'), said('')], rules())).toMatchObject({ kind: 'ask' })
  })

  test('output that is not text is an answer', () => {
    expect(decideTurn([said('', { output: null })], rules())).toMatchObject({ kind: 'done', content: '', output: null })
    expect(decideTurn([said('', { output: 4 })], rules())).toMatchObject({ kind: 'done', output: 4 })
  })
})

test('a truncated answer of the last turn is not taken as complete', () => {
  const turns = [called('x'), cut('half an ans')]
  expect(decideTurn(turns, rules({ maxTurns: 2 }))).toMatchObject({ kind: 'fail', reasonCode: 'reply_truncated' })
})

describe('without a schema', () => {
  test.each([
    ['a text', null],
    ['{"price": 391}', { price: 391 }],
    ['```json\n[1, 2,]\n```', [1, 2]],
    ['42', null],
    ['The answer is {"a": 1}', null],
  ])('%j has the output %j', (text, output) => {
    expect(decideTurn([said(text)], rules())).toEqual({ kind: 'done', content: text, output })
  })

  test('reasoning within the text is not part of the result', () => {
    const turns = [said('<think>hm</think>\n{"a": 1}')]
    expect(decideTurn(turns, rules())).toEqual({ kind: 'done', content: '{"a": 1}', output: { a: 1 } })
  })

  test('the text before tool calls is not part of the result', () => {
    const turns = [called('x', { text: 'Let me look that up.' }), said('It is 4.')]
    expect(decideTurn(turns, rules())).toMatchObject({ content: 'It is 4.' })
  })
})

describe('with a schema', () => {
  const outputSchema = { type: 'object', required: ['price'], properties: { price: { type: 'number' } } }
  const checkPrice = (output: unknown): OutputCheck => {
    const { price } = output as { price?: unknown }
    if (price === undefined) return { problem: "must have required property 'price'" }
    return { problem: typeof price === 'number' ? undefined : 'price must be number' }
  }

  /** Decides after each turn, as the engine does, and checks what the loop asks to check. */
  function decide(turns: readonly WorkerTurn[], { maxTurns = 50, check = checkPrice } = {}) {
    const checked = new Map<ReplyEntry, OutputCheck>()
    const decideAfter = (count: number) => decideTurn(turns.slice(0, count), rules({ outputSchema, checked, maxTurns }))
    for (let count = 1; count <= turns.length; count += 1) {
      const decision = decideAfter(count)
      if (decision.kind === 'check') checked.set((turns[count - 1] as WorkerTurn).reply, check(decision.output))
    }
    return decideAfter(turns.length)
  }

  test('an answer is checked before anything follows from it', () => {
    const decision = decideTurn([said('{"price": 4}')], rules({ outputSchema }))
    expect(decision).toEqual({ kind: 'check', output: { price: 4 } })
  })

  test('an answer that cannot be checked fails the step', () => {
    const failure = { reasonCode: 'output_check_limit', message: 'Too long.' } as const
    expect(decide([said('{}')], { check: () => ({ failure }) })).toEqual({ kind: 'fail', ...failure })
  })

  test('there are two repairs, whatever comes in between', () => {
    const turns = [said('no JSON'), cut('{"price": '), said('"much"}')]
    expect(decide(turns)).toMatchObject({ kind: 'ask', wantsJson: true })
    turns.push(said('{"price": "more"}'))
    expect(decide(turns)).toMatchObject({ kind: 'fail', reasonCode: 'output_invalid' })
  })

  test('an answer that matches is the result, whatever text surrounds it', () => {
    const decision = decide([said('Sure! ```json\n{"price": 4}\n```')])
    expect(decision).toMatchObject({ kind: 'done', output: { price: 4 } })
  })

  test.each([
    ['{"price": "four"}', 'price must be number'],
    ['{}', "must have required property 'price'"],
    ['no JSON here', 'the answer holds no JSON'],
  ])('%j is repaired, and told what is wrong', (text, problem) => {
    const decision = decide([said(text)])
    expect(decision).toEqual({
      kind: 'ask',
      offersTools: false,
      wantsJson: true,
      say: expect.stringContaining(problem),
    })
  })

  test('the repaired answer is the result', () => {
    const decision = decide([said('{}'), said('{"price": 4}')])
    expect(decision).toEqual({ kind: 'done', content: '{"price": 4}', output: { price: 4 } })
  })

  test('a third mismatch is a failure that says what is wrong', () => {
    const two = [said('{}'), said('{"price": "three"}')]
    expect(decide(two)).toMatchObject({ kind: 'ask', say: expect.stringContaining('price must be number') })
    const decision = decide([...two, said('{"price": "four"}')])
    const message = 'The answer does not match the output schema: price must be number.'
    expect(decision).toEqual({ kind: 'fail', reasonCode: 'output_invalid', message })
  })

  test('the last turn asks for JSON, and there is no repair after it', () => {
    const rulesOfTwo = { maxTurns: 2 }
    expect(decide([called('x')], rulesOfTwo)).toMatchObject({ ...lastTurn, wantsJson: true })
    expect(decide([called('x'), said('{}')], rulesOfTwo)).toMatchObject({
      kind: 'fail',
      reasonCode: 'output_invalid',
    })
  })

  test('output that is not text is validated too', () => {
    expect(decide([said('', { output: { price: 1 } })])).toMatchObject({
      kind: 'done',
      output: { price: 1 },
    })
    expect(decide([said('', { output: { price: '1' } })])).toMatchObject({
      kind: 'ask',
      wantsJson: true,
    })
  })
})

describe('an answer that does not pass its rubric', () => {
  const answer = said('A lot.')
  const notesOn = (reply: ReplyEntry) => (reply === answer.reply ? 'How much?' : undefined)

  test('is revised with the notes of the judge, and tools can be used', () => {
    const say = expect.stringMatching(/does not pass yet:\n\nHow much\?\n\nRevise it/)
    expect(decideTurn([answer], rules({ notesOn }))).toEqual({ ...asks, say })
  })

  test('is followed by another answer, which is the result', () => {
    expect(decideTurn([answer, said('391.')], rules({ notesOn }))).toMatchObject({ kind: 'done', content: '391.' })
  })

  test('may be revised in the last turn, which says so', () => {
    const decision = decideTurn([answer], rules({ notesOn, maxTurns: 2 }))
    expect(decision).toMatchObject({ ...lastTurn, say: expect.stringMatching(/How much\?[\s\S]*your last turn/) })
  })

  test('has two repairs of its own after each revision', () => {
    const outputSchema = { type: 'object' }
    const before = [said('no'), said('no JSON'), answer]
    const repair = { kind: 'ask', say: expect.stringContaining('holds no JSON'), offersTools: false }
    const decide = (...turns: WorkerTurn[]) => decideTurn([...before, ...turns], rules({ notesOn, outputSchema }))
    expect(decide(said('x'))).toMatchObject(repair)
    expect(decide(said('x'), said('y'))).toMatchObject(repair)
    expect(decide(said('x'), said('y'), said('z'))).toMatchObject({ kind: 'fail', reasonCode: 'output_invalid' })
  })
})
