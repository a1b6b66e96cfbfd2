import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { comparablePrompt } from '../../agents/comparable-prompt.ts'
import { derivedWireId } from '../../runtime/derived-ids.ts'
import type { TurnBody } from '../../store/run-log/run-change.ts'
import type { Message, ModelRequest } from '../port/model.ts'
import type { RecordedTurn } from './cassette-file.ts'
import { fingerprintOf } from './fingerprint.ts'
import { recorder } from './recorder.ts'
import { replayModels } from './replay-models.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'cassettes-'))
})
afterEach(() => rm(dir, { recursive: true }))

const ids = ['01890000-0000-7000-8000-000000000001', '01890000-0000-7000-8000-000000000002'] as const
const liveId = '01990000-0000-7000-8000-000000000009'
const task = { input: { question: 'How much?' }, metadata: {}, plan: undefined }

const turn = (
  seq: number,
  messages: readonly Message[],
  body: Partial<TurnBody> = {},
  call = '0/a:0',
): RecordedTurn => ({
  seq,
  attempt: 1,
  taskKey: '0/a',
  callKey: call,
  role: 'worker',
  messages: messages as RecordedTurn['messages'],
  body: {
    try: 1,
    model: 'acme/big',
    prompt_version: 'worker-2',
    tools: ['look'],
    parameters: {},
    output_schema: false,
    outcome: 'reply',
    reply: { text: 'Hi.', tool_calls: [], finish: 'complete' },
    failure: null,
    usage: { total: 12, cached: 3 },
    first_token_ms: 1,
    duration_ms: 2,
    truncated: false,
    ...body,
  },
})
const system: Message = { from: 'system', text: 'Be kind.' }
const user = (text: string): Message => ({ from: 'user', text })
async function* each<T>(items: readonly T[]) {
  yield* items
}
const record = (turns: readonly RecordedTurn[], id: string = ids[0], run = task) =>
  recorder(dir).record({ ...run, id }, each(turns))

interface Asked {
  readonly messages?: readonly Message[]
  readonly call?: string
  readonly runId?: string
  readonly run?: Parameters<typeof fingerprintOf>[0]
  readonly onText?: (text: string) => void
  readonly tools?: readonly string[]
}

async function opened() {
  const [model] = await replayModels(dir).open('openai/gpt-9')
  return (asked: Asked = {}) => {
    const { messages = [system, user('hello')], call = '0/a:0', runId = liveId, run = task, tools = ['look'] } = asked
    const origin = { runId, callKey: call, fingerprint: () => fingerprintOf(run), comparable: comparablePrompt }
    const request: ModelRequest = {
      role: 'worker',
      messages,
      tools: tools.map((name) => ({ name, description: '', inputSchema: {} })),
      outputSchema: undefined,
      maxOutputTokens: undefined,
      signal: new AbortController().signal,
      onText: asked.onText ?? (() => undefined),
      rehearsal: { script: undefined, agentStep: 0, failures: 0, turn: 0, isLast: undefined },
      origin,
    }
    return model?.respond(request)
  }
}

describe('a cassette', () => {
  test('is one private file per run: a header, and a line for each call with what is new in it', async () => {
    await record([turn(1, [system, user('hello')]), turn(2, [system, user('hello'), user('more')], {}, '0/a:1')])
    const names = await readdir(dir)
    expect(names).toEqual([expect.stringMatching(/^run_\w{26}\.ndjson$/)])
    const file = join(dir, names[0] ?? '')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const lines = (await readFile(file, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines[0]).toEqual({
      version: 1,
      fingerprint: fingerprintOf(task),
      run_id: ids[0],
      agent: null,
      models: ['acme/big'],
    })
    expect(lines[2]).toMatchObject({ call: '0/a:1', shared: 2, messages: [user('more')] })
  })

  test('is absent if a run could not be recorded whole, and if it called no model', async () => {
    async function* broken() {
      yield turn(1, [system])
      throw new Error('the database is away')
    }
    await expect(recorder(dir).record({ ...task, id: ids[0] }, broken())).rejects.toThrow('away')
    await record([])
    expect(await readdir(dir)).toEqual([])
  })
})

describe('a replayed call', () => {
  test('is answered as it was recorded, streamed and metered, whatever the model is called', async () => {
    const asked = [{ id: 'c', name: 'look', input: { n: 1 } }]
    const reply = { text: 'Hi.', tool_calls: asked, finish: 'length' as const, output: { a: 1 }, echo: ['sig'] }
    await record([turn(1, [system, user('hello')], { reply })])
    const ask = await opened()
    const texts: string[] = []
    expect(await ask({ onText: (text) => texts.push(text) })).toEqual({
      kind: 'reply',
      text: 'Hi.',
      toolCalls: asked,
      finish: 'length',
      output: { a: 1 },
      echo: ['sig'],
      usage: { total: 12, cached: 3 },
    })
    expect(texts).toEqual(['Hi.'])
  })

  test('may differ in the date, in what is left to spend, in times and in notes from memory', async () => {
    const text = (date: string, left: number, at: string, notes: string) =>
      user(`${notes}Date (UTC): ${date}\n\nLeft to spend: ${left} tokens, ${left} seconds.\n\nIt is ${at}.`)
    const { renderNotes } = await import('../../agents/recall.ts')
    const notes = `${renderNotes([{ kind: 'fact', title: 'T', content: 'C' }])}\n\n`
    await record([turn(1, [system, text('2026-01-01', 900, '2026-01-01T10:00:00.000Z', '')])])
    const ask = await opened()
    const messages = [system, text('2026-11-16', 7, '2026-11-16T21:30:00Z', notes)]
    expect(await ask({ messages })).toMatchObject({ kind: 'reply' })
  })

  test('may differ in ids that are derived from the run: the reply names those of the new run', async () => {
    const old = derivedWireId('call', ids[0], '0/a:0', '0')
    const now = derivedWireId('call', liveId, '0/a:0', '0')
    const first = { text: '', tool_calls: [{ id: 'c', name: 'look', input: {} }], finish: 'complete' as const }
    const second = { ...first, tool_calls: [{ id: 'd', name: 'read_result', input: { call_id: old } }] }
    const cut = (id: string) => user(`Call read_result with call_id "${id}"`)
    await record([turn(1, [system], { reply: first }), turn(2, [system, cut(old)], { reply: second }, '0/a:1')])
    const ask = await opened()
    await ask({ messages: [system] })
    expect(await ask({ messages: [system, cut(now)], call: '0/a:1' })).toMatchObject({
      toolCalls: [{ input: { call_id: now } }],
    })
  })

  test.each<[string, Asked, string]>([
    ['other words', { messages: [system, user('goodbye')] }, 'message 2: recorded "user: hello", now "user: goodbye"'],
    ['one message more', { messages: [system, user('hello'), user('!')] }, 'message 3: recorded "(no message)"'],
    ['one message less', { messages: [system] }, 'message 2: recorded "user: hello", now "(no message)"'],
    ['other tools', { tools: ['look', 'pay'] }, 'the offered tools: recorded "look", now "look, pay"'],
    ['another call', { call: '0/a:7' }, 'recorded "(no such call)", now "0/a:7"'],
  ])('with %s fails the step, and says where', async (_, asked, where) => {
    await record([turn(1, [system, user('hello')])])
    const ask = await opened()
    expect(await ask(asked)).toMatchObject({
      kind: 'failure',
      reasonCode: 'cassette_mismatch',
      retry: 'never',
      message: expect.stringContaining(where),
    })
  })

  test('shows the first difference of a long text with what is around it', async () => {
    await record([turn(1, [user(`${'a'.repeat(500)}RED${'b'.repeat(500)}`)])])
    const outcome = await (await opened())({ messages: [user(`${'a'.repeat(500)}BLUE${'b'.repeat(500)}`)] })
    expect(outcome).toMatchObject({ message: expect.stringContaining(`recorded "…${'a'.repeat(20)}REDbbb`) })
    expect((outcome as { message: string }).message.length).toBeLessThan(600)
  })

  test('whose tries failed at first is answered at once with the last one', async () => {
    const failed = (retry: 'call' | 'step' | 'never'): Partial<TurnBody> => ({
      outcome: 'failure',
      reply: null,
      failure: { reason_code: 'provider_unavailable', message: 'not now', retry },
    })
    await record([
      turn(1, [system], failed('call')),
      turn(2, [system], failed('step')),
      turn(3, [system], failed('call')),
      turn(4, [system]),
      turn(5, [system], { outcome: 'aborted', reply: null }, '0/a:1'),
      turn(6, [system], {}, '0/a:1'),
      turn(7, [system], failed('call'), '0/a:2'),
      turn(8, [system], { outcome: 'aborted', reply: null }, '0/a:3'),
    ])
    const ask = await opened()
    const messages = [system]
    expect(await ask({ messages })).toMatchObject({ reasonCode: 'provider_unavailable', retry: 'step' })
    expect(await ask({ messages })).toMatchObject({ kind: 'reply' })
    // The reply was lost, and the call is made again.
    expect(await ask({ messages })).toMatchObject({ kind: 'reply' })
    expect(await ask({ messages, call: '0/a:1' })).toMatchObject({ kind: 'reply' })
    // The recorded run gave it up.
    expect(await ask({ messages, call: '0/a:2' })).toMatchObject({ reasonCode: 'provider_unavailable', retry: 'never' })
    expect(await ask({ messages, call: '0/a:3' })).toMatchObject({ reasonCode: 'cassette_mismatch' })
  })

  test('with a text that was too long to be kept whole is compared without it', async () => {
    await record([turn(1, [system, user('aaa\n[… 500 more characters are not kept]')], { truncated: true })])
    expect(await (await opened())({ messages: [system, user('a'.repeat(503))] })).toMatchObject({ kind: 'reply' })
  })
})

describe('which cassette', () => {
  const said = (text: string) => ({ reply: { text, tool_calls: [], finish: 'complete' as const } })

  test('runs that do the same take the cassettes in turn, and begin again after the last', async () => {
    await record([turn(1, [system], said('second'))], ids[1])
    await record([turn(1, [system], said('first'))], ids[0])
    const ask = await opened()
    const answers = ['r1', 'r2', 'r3'].map((runId) =>
      ask({ runId: `${liveId.slice(0, -2)}${runId}`, messages: [system] }),
    )
    expect(await Promise.all(answers)).toMatchObject([{ text: 'first' }, { text: 'second' }, { text: 'first' }])
  })

  test.each([
    ['other input', { ...task, input: { question: 'How many?' } }],
    ['another plan', { ...task, plan: { steps: [] } }],
    ['another agent', { ...task, metadata: { agent: 'clerk' } }],
  ])('a run with %s has none, and is told its fingerprint', async (_, run) => {
    await record([turn(1, [system])])
    expect(await (await opened())({ run })).toMatchObject({
      reasonCode: 'cassette_missing',
      retry: 'never',
      message: expect.stringContaining(fingerprintOf(run)),
    })
  })

  test('other metadata and the order of keys do not matter', () => {
    const a = fingerprintOf({ input: { a: 1, b: 2 }, metadata: { trace: 1, agent: 'x' }, plan: undefined })
    expect(fingerprintOf({ input: { b: 2, a: 1 }, metadata: { agent: 'x' }, plan: undefined })).toBe(a)
  })
})

describe('the folder', () => {
  test('must exist, and hold cassettes of this version', async () => {
    await expect(replayModels(join(dir, 'none')).open('openai/x')).rejects.toThrow(/cannot be read \(ENOENT\)/)
    await writeFile(join(dir, 'old.ndjson'), '{"version":0}\n')
    await expect(replayModels(dir).open('openai/x')).rejects.toThrow('old.ndjson')
  })

  test('files that are not finished, and others, are ignored', async () => {
    await writeFile(join(dir, '.run_1.ndjson.unfinished'), 'half')
    await writeFile(join(dir, 'README.md'), 'hello')
    expect((await replayModels(dir).open('openai/x, sandbox')).map(({ name }) => name)).toEqual(['openai/x', 'sandbox'])
  })
})
