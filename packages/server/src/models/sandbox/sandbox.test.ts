import type { SandboxStep } from '@runwright/contract'
import { builtInTools, sandboxScriptSchema } from '@runwright/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { estimateTokens } from '../port/estimate-tokens.ts'
import type { ModelOutcome, ModelRequest, Rehearsal } from '../port/model.ts'
import { sandbox } from './sandbox.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Asked = Partial<Rehearsal> & Partial<Pick<ModelRequest, 'role' | 'signal' | 'tools'>> & { steps?: SandboxStep[] }

const tool = (name: string) => ({ name, description: '', inputSchema: {} })

function ask({ role = 'worker', steps, signal, tools, ...rehearsal }: Asked = {}) {
  const heard: string[] = []
  const request: ModelRequest = {
    role,
    messages: [],
    tools: tools ?? builtInTools.map(tool),
    outputSchema: undefined,
    maxOutputTokens: undefined,
    signal: signal ?? new AbortController().signal,
    onText: (text) => void heard.push(text),
    rehearsal: {
      script: steps && sandboxScriptSchema.parse({ steps }),
      agentStep: 0,
      failures: 0,
      turn: 0,
      isLast: undefined,
      ...rehearsal,
    },
  }
  return { heard, outcome: sandbox.respond(request) }
}

async function answer(asked?: Asked) {
  const { heard, outcome } = ask(asked)
  await vi.runAllTimersAsync()
  return { heard, ...(await outcome) }
}

const thenStep = (then: SandboxStep['then'], step: SandboxStep = {}): SandboxStep => ({ ...step, then })

const calculator = { name: 'calculator', input: { expression: '2+2' } }

test('it is named sandbox', () => {
  expect(sandbox.name).toBe('sandbox')
})

test('the same question gets the same answer', async () => {
  const steps = [{ say: 'a b', tools: [calculator], tokens: 7 }]
  expect(await answer({ steps })).toEqual(await answer({ steps }))
})

test('without scripted pauses an answer takes no timer, in any role', async () => {
  const outcomes = (['planner', 'worker', 'judge'] as const).map((role) => ask({ role, steps: [{}, {}] }).outcome)
  expect(vi.getTimerCount()).toBe(0)
  expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(['reply', 'reply', 'reply'])
})

describe('a worker', () => {
  test('says, streams and returns what its entry defines', async () => {
    const steps = [{ say: 'other' }, { say: 'text to stream', output: { any: 'json' }, tokens: 120 }]
    const { heard, ...outcome } = await answer({ steps, agentStep: 1 })
    expect(outcome).toEqual({
      kind: 'reply',
      text: 'text to stream',
      toolCalls: [],
      output: { any: 'json' },
      finish: 'complete',
      usage: { total: 120 },
    })
    expect(heard.join('')).toBe('text to stream')
  })

  test.each<[string, Asked]>([
    ['an empty entry', { steps: [{}] }],
    ['a missing entry', { steps: [{ say: 'only one' }], agentStep: 1 }],
    ['no script in a run without a plan', {}],
    ['a script without steps', { script: {} }],
    ['an empty script', { steps: [] }],
    ['the second planned step without a script', { isLast: true, agentStep: 1 }],
  ])('%s plays the defaults: a sentence that names the sandbox, no output, tokens by estimate', async (_, asked) => {
    const outcome = await answer(asked)
    const text = 'This is the sandbox: it follows a script and does not think.'
    expect(outcome).toMatchObject({ kind: 'reply', text, toolCalls: [], output: null, usage: { total: 15 } })
    expect(outcome.heard.join('')).toBe(text)
  })

  test.each([null, false, 0, '', [], 'text'])('an output of %j is returned unchanged', async (output) => {
    expect(await answer({ steps: [{ output }] })).toMatchObject({ output })
  })

  test('saying nothing is possible and costs nothing', async () => {
    expect(await answer({ steps: [{ say: '' }] })).toMatchObject({ text: '', heard: [], usage: { total: 0 } })
  })

  test('chunk_ms streams word by word with pauses', async () => {
    const startedAt = Date.now()
    expect(await answer({ steps: [{ say: 'one two three', chunk_ms: 50 }] })).toMatchObject({
      heard: ['one ', 'two ', 'three'],
    })
    expect(Date.now() - startedAt).toBe(100)
  })

  test.each([
    [{ delay_ms: 5_000 }, 0, 5_000],
    [{ delay_ms: 5_000, tools: [calculator] }, 0, 5_000],
    [{ delay_ms: 5_000, tools: [calculator] }, 1, 0],
    [{ delay_ms: 5_000, fail: {} }, 0, 5_000],
  ])('%j waits in turn %i for %i ms', async (step, turn, expectedMs) => {
    const startedAt = Date.now()
    await answer({ steps: [step], turn })
    expect(Date.now() - startedAt).toBe(expectedMs)
  })
})

describe('a worker with tools', () => {
  const steps = [{}, { say: 'done', output: 4, tools: [calculator, { name: 'no_such_tool' }] }]

  test('asks for all of them in its first turn and says nothing yet', async () => {
    expect(await answer({ steps, agentStep: 1, tools: [] })).toEqual({
      kind: 'reply',
      text: '',
      toolCalls: [
        { id: 'sandbox_1_0', name: 'calculator', input: { expression: '2+2' } },
        { id: 'sandbox_1_1', name: 'no_such_tool', input: {} },
      ],
      finish: 'complete',
      usage: { total: 0 },
      heard: [],
    })
  })

  test('speaks and returns its output in the next turn', async () => {
    const outcome = await answer({ steps, agentStep: 1, turn: 1 })
    expect(outcome).toMatchObject({ text: 'done', toolCalls: [], output: 4, heard: ['done'] })
  })

  test.each([
    [{ tokens: 120 }, 60, 60],
    [{ tokens: 121 }, 60, 61],
    [{ tokens: 1 }, 0, 1],
    [{ tokens: 0 }, 0, 0],
    [{ say: 'x'.repeat(41) }, 5, 6],
  ])('%j is the total of both turns', async (step, first, second) => {
    const turns = [0, 1].map((turn) => answer({ steps: [{ ...step, tools: [calculator] }], turn }))
    expect((await Promise.all(turns)).map(({ usage }) => usage?.total)).toEqual([first, second])
  })

  test('an empty list means no tools', async () => {
    expect(await answer({ steps: [{ tools: [], tokens: 5 }] })).toMatchObject({ toolCalls: [], usage: { total: 5 } })
  })
})

describe('a worker without a script in a planned run', () => {
  test('calls a tool in the first step', async () => {
    const outcome = await answer({ isLast: false })
    expect(outcome).toMatchObject({ text: '', toolCalls: [{ id: 'sandbox_0_0', ...calculator }] })
  })

  test('then reports it, and says that it is the sandbox', async () => {
    const outcome = await answer({ isLast: false, turn: 1 })
    expect(outcome).toMatchObject({ toolCalls: [], text: expect.stringMatching(/sandbox.*script.*calculator/) })
  })

  test('does not ask for a tool that the step does not offer', async () => {
    const outcome = await answer({ isLast: false, tools: [tool('wait')] })
    expect(outcome).toMatchObject({ toolCalls: [], text: expect.not.stringContaining('calculator') })
  })
})

describe('a worker that is scripted to fail', () => {
  const failure = { kind: 'failure', text: '', usage: undefined, heard: [] }

  test('fails as scripted, before any tool', async () => {
    const fail = { reason_code: 'quota', message: 'No quota left.', retryable: true }
    const outcome = await answer({ steps: [{ say: 'never', tokens: 9, tools: [calculator], fail }] })
    expect(outcome).toEqual({ ...failure, reasonCode: 'quota', message: 'No quota left.', retry: 'step' })
  })

  test('by default with a provider error, a message that names the script, not retryable', async () => {
    expect(await answer({ steps: [{ fail: {} }] })).toEqual({
      ...failure,
      reasonCode: 'provider_error',
      message: 'The sandbox failed, as its script says.',
      retry: 'never',
    })
  })

  test.each([
    [undefined, 0, 'failure'],
    [undefined, 1_000, 'failure'],
    [1, 0, 'failure'],
    [1, 1, 'reply'],
    [2, 1, 'failure'],
    [2, 2, 'reply'],
  ])('times %s after %i failures: %s', async (times, failures, kind) => {
    const fail = times === undefined ? {} : { times }
    expect(await answer({ steps: [{ fail }], failures })).toMatchObject({ kind })
  })

  test('does not fail after its tools were called', async () => {
    expect(await answer({ steps: [{ tools: [calculator], fail: {} }], turn: 1 })).toMatchObject({ kind: 'reply' })
  })
})

describe('a planner', () => {
  const plan = async (asked: Asked) => {
    const outcome = await answer({ role: 'planner', ...asked })
    const { steps } = (outcome as unknown as { output: { steps: { instruction: string }[] } }).output
    return { ...outcome, instructions: steps.map(({ instruction }) => instruction) }
  }

  test('plans as many steps as the script has, says so, and costs nothing', async () => {
    expect(await plan({ steps: [{ fail: {} }, {}, {}] })).toMatchObject({
      kind: 'reply',
      text: 'Planned 3 steps (sandbox).',
      heard: ['Planned 3 steps (sandbox).'],
      toolCalls: [],
      usage: undefined,
      instructions: [1, 2, 3].map((step) => `Play step ${step} of the sandbox's script.`),
    })
  })

  test.each<[string, number, Asked]>([
    ['without a script', 2, {}],
    ['with an empty script', 2, { steps: [] }],
    ['with a script without steps', 2, { script: {} }],
    ['on a replan, what the script has left', 2, { steps: [{}, {}, {}], agentStep: 1 }],
    ['on a replan at the end of the script', 1, { steps: [{}], agentStep: 5 }],
    ['on a replan without a script', 1, { agentStep: 2 }],
    ['with a script longer than a plan may be', 200, { steps: Array.from({ length: 201 }, () => ({})) }],
  ])('%s: the plan has %i', async (_, count, asked) => {
    expect((await plan(asked)).instructions).toHaveLength(count)
  })

  test('a replan continues with the next entry', async () => {
    const { instructions, text } = await plan({ steps: [{}, {}], agentStep: 1 })
    expect(instructions).toEqual(["Play step 2 of the sandbox's script."])
    expect(text).toBe('Planned 1 step (sandbox).')
  })
})

describe('a judge', () => {
  const judge = async (asked: Asked) => {
    const { heard, ...outcome } = await answer({ role: 'judge', ...asked })
    expect({ ...outcome, output: {}, heard }).toEqual({
      kind: 'reply',
      text: '',
      toolCalls: [],
      output: {},
      finish: 'complete',
      usage: undefined,
      heard: [],
    })
    return (outcome as { output: unknown }).output
  }

  test.each<[string, Asked, unknown]>([
    ['planned, more to come', { steps: [{}], isLast: false }, { decision: 'continue', reason: 'more steps follow' }],
    ['planned, the last', { steps: [{}, {}], isLast: true }, { decision: 'stop', reason: 'the last step is done' }],
    ['planned, without a script', { isLast: false }, { decision: 'continue', reason: 'more steps follow' }],
    ['planned, last, without a script', { isLast: true }, { decision: 'stop', reason: 'the last step is done' }],
    ['unplanned, more entries', { steps: [{}, {}] }, { decision: 'continue', reason: 'more steps follow' }],
    ['unplanned, no entry left', { steps: [{}] }, { decision: 'stop', reason: 'the script has run out' }],
    ['unplanned, past the end', { steps: [{}], agentStep: 9 }, { decision: 'stop', reason: 'the script has run out' }],
    ['unplanned, without a script', {}, { decision: 'stop', reason: 'the script has run out' }],
  ])('%s', async (_, asked, verdict) => {
    expect(await judge(asked)).toEqual(verdict)
  })

  test.each([
    ['continue', false],
    ['replan', false],
    ['replan', undefined],
    ['stop', false],
    ['stop', undefined],
  ] as const)('decides %s as scripted (isLast %s)', async (decision, isLast) => {
    const verdict = await judge({ steps: [thenStep(decision)], isLast })
    expect(verdict).toEqual({ decision, reason: 'the script says so' })
  })

  test('a plan that is done stops, even if the script says continue', async () => {
    const verdict = await judge({ steps: [thenStep('continue'), {}], isLast: true })
    expect(verdict).toEqual({ decision: 'stop', reason: 'the last step is done' })
  })

  test('a script that has run out stops, even if it says continue', async () => {
    const verdict = await judge({ steps: [thenStep('continue')] })
    expect(verdict).toEqual({ decision: 'stop', reason: 'the script has run out' })
  })

  test.each([
    [undefined, 1, true],
    [undefined, 2, false],
    [false, 1, false],
    [true, 2, true],
  ])(
    'awaits input as scripted; isLast %s with %i entries: nothing comes after it %s',
    async (isLast, entries, last) => {
      const steps = [thenStep('await_input'), {}].slice(0, entries)
      const verdict = await judge({ steps, isLast })
      expect(verdict).toEqual({ decision: 'await_input', reason: 'the script says so', await: {}, last })
    },
  )

  test('passes on what the wait is for', async () => {
    const wait = { input_kind: 'approval', reason_code: 'needs_review', prompt: 'Ok?' } as const
    expect(await judge({ steps: [thenStep('await_input', { await: wait })] })).toMatchObject({ await: wait })
  })

  test('has no wait unless it awaits input', async () => {
    expect(await judge({ steps: [{ await: { reason_code: 'x' } }], isLast: false })).not.toHaveProperty('await')
  })
})

describe('an abort', () => {
  const aborted = AbortSignal.abort()

  test.each([
    ['planner', undefined],
    ['worker', { total: 0 }],
    ['judge', undefined],
  ] as const)('before the start ends a %s with the usage %j', async (role, usage) => {
    expect(await answer({ role, signal: aborted })).toEqual({ kind: 'aborted', text: '', usage, heard: [] })
  })

  async function abortAfter(ms: number, step: SandboxStep, turn = 0): Promise<ModelOutcome> {
    const abort = new AbortController()
    const { outcome } = ask({ steps: [step], turn, signal: abort.signal })
    await vi.advanceTimersByTimeAsync(ms)
    abort.abort()
    const result = await outcome
    expect(vi.getTimerCount()).toBe(0)
    return result
  }

  test.each<[SandboxStep, number, number, string, number]>([
    [{ delay_ms: 1_000, tokens: 50 }, 0, 500, '', 0],
    [{ delay_ms: 1_000, fail: {} }, 0, 500, '', 0],
    [{ say: 'twelve chars and more', chunk_ms: 100 }, 0, 150, 'twelve chars ', 4],
    [{ say: 'twelve chars and more', chunk_ms: 100, tokens: 3 }, 0, 150, 'twelve chars ', 3],
    [{ say: 'twelve chars and more', chunk_ms: 100, tokens: 3, tools: [calculator] }, 1, 150, 'twelve chars ', 2],
  ])('of %j in turn %i after %i ms: %j, %i tokens', async (step, turn, ms, text, tokens) => {
    expect(await abortAfter(ms, step, turn)).toEqual({ kind: 'aborted', text, usage: { total: tokens } })
  })

  test('while the last piece is delivered counts as an abort too', async () => {
    const abort = new AbortController()
    const { outcome } = ask({ role: 'planner', signal: abort.signal })
    abort.abort()
    expect(await outcome).toEqual({ kind: 'aborted', text: 'Planned 2 steps (sandbox).', usage: undefined })
  })
})

test.each([
  ['', 0],
  ['a', 1],
  ['four', 1],
  ['fives', 2],
])('%j is estimated at %i tokens', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens)
})

describe('a rubric', () => {
  const steps: SandboxStep[] = [
    { say: 'one', revisions: ['two'], grades: [{ passes: false, notes: 'More.' }, { scores: { good: 4 } }] },
  ]
  const graded = async (revision: number, asked: Asked = { steps }) => {
    const outcome = await answer({ role: 'judge', grades: true, revision, ...asked })
    return (outcome as unknown as { output: unknown }).output
  }

  test('is graded by the script, and passes where the script says nothing', async () => {
    expect(await graded(0)).toEqual({ passes: false, notes: 'More.' })
    expect(await graded(1)).toEqual({ scores: { good: 4 }, notes: '' })
    expect(await graded(2)).toEqual({ passes: true, notes: '' })
    expect(await graded(0, {})).toEqual({ passes: true, notes: '' })
    expect(await graded(0, { steps, agentStep: Number.POSITIVE_INFINITY })).toEqual({ passes: true, notes: '' })
  })

  test('has the answers of the script', async () => {
    const say = async (revision: number) => (await answer({ steps, revision, turn: revision })).heard.join('')
    expect([await say(0), await say(1), await say(2)]).toEqual(['one', 'two', 'one'])
  })

  test('uses no more tokens than the script gives for the step', async () => {
    const used = async (step: SandboxStep) => (await answer({ steps: [step], revision: 1, turn: 1 })).usage?.total
    expect(await used({ tokens: 9 })).toBe(0)
    expect(await used({ say: 'x'.repeat(40) })).toBe(10)
  })
})
