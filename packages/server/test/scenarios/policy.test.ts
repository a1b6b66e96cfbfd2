// What policy allows, asks for and denies, as a client sees it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Exposure, Tool } from '../../src/tools/port/tool.ts'
import { type Bench, ofType, outline, planned, scripted, startBench, untilEnded } from '../support/engine.ts'
import { type OwnTool, ownTool } from '../support/own-tool.ts'

const exposed = (name: string, exposure: Exposure): OwnTool => ({ ...ownTool({ name }), exposureOf: () => exposure })
const [free, asked, denied] = [
  ownTool({ name: 'free' }),
  ownTool({ name: 'asked', effect: 'once' }),
  ownTool({ name: 'denied' }),
]
const diary = exposed('diary', { readsPrivate: true })
const gossip = exposed('gossip', { takesUntrusted: true })
const post = exposed('post', { sendsOut: true })
const shy: Tool = { ...ownTool({ name: 'shy' }), policy: 'deny' }

const folder = mkdtempSync(join(tmpdir(), 'policy-'))
let bench: Bench
beforeAll(async () => {
  const file = join(folder, 'policy.json')
  const book = { tools: { asked: 'ask', denied: 'deny' }, customers: { other: { denied: 'allow' } } }
  writeFileSync(file, JSON.stringify(book))
  const tools = [free, asked, denied, diary, gossip, post, shy]
  bench = await startBench({ RUNWRIGHT_TOOL_POLICY: file }, { tools })
})
afterAll(async () => {
  await bench.stop()
  rmSync(folder, { recursive: true })
})

const step = (...names: string[]) => ({ say: 'done', tools: names.map((name) => ({ name, input: { note: name } })) })
const invocation = (name: string, outcome: string) => [
  `tool_call_start ${name}`,
  `tool_call_done ${name}`,
  `invoked ${name} ${outcome}`,
]
const pause = ['judge await_input approval_required', 'awaiting approval_required approval']

describe('deny', () => {
  test('the call is not made, the client sees why, and the agent goes on', async () => {
    const { id, events } = await bench.play(scripted([step('denied')]))
    expect(outline(events)).toEqual(
      expect.arrayContaining([...invocation('denied', 'policy_denied'), 'step.done succeeded', 'succeeded']),
    )
    expect(ofType(events, 'run.tool.invoked')[0]).toMatchObject({
      policy_reason_code: 'denied_by_policy',
      tool_output_summary: { preview: 'The tool "denied" is denied by policy.' },
    })
    expect(denied.callsOf(id)).toHaveLength(0)
  })

  test('a tool step fails the run at once: another try would be denied as well', async () => {
    const { events } = await bench.play(planned([{ tool: 'denied', input: {} }]))
    expect(outline(events).slice(2)).toEqual([
      ...invocation('denied', 'policy_denied'),
      'step.done fail_run',
      'judge stop step_failed',
      'failed tool_failed',
    ])
  })

  test('holds for one customer and not for another', async () => {
    const id = await bench.create(planned([{ tool: 'denied', input: {} }]), bench.other)
    expect((await untilEnded(bench.other, id)).at(-1)?.type).toBe('run.worker.succeeded')
  })

  test('may be the tool’s own rule', async () => {
    const { events } = await bench.play(scripted([step('shy')]))
    expect(outline(events)).toContain('invoked shy policy_denied')
  })
})

describe('ask', () => {
  test('pauses before anything has happened, and an approval makes the call', async () => {
    const id = await bench.create(scripted([step('asked')]))
    await bench.waits(id)
    expect(outline(await bench.events(id)).slice(2)).toEqual(pause)
    expect(asked.callsOf(id)).toHaveLength(0)
    expect(await bench.include(id, 'awaiting_input')).toMatchObject({
      reason_code: 'approval_required',
      input_kind: 'approval',
      prompt: 'Call asked? Asked because policy requires approval for this tool. Arguments: {"note":"asked"}',
    })
    await bench.signal(id, 'approve')
    expect(outline(await bench.ended(id)).slice(4)).toEqual([
      'signal approve',
      ...invocation('asked', 'succeeded'),
      'step.done succeeded',
      'judge stop all_done',
      'succeeded',
    ])
    expect(asked.callsOf(id)).toHaveLength(1)
  })

  test('a tool step asks as well, and a submitted payload is there for the next step', async () => {
    const id = await bench.create(
      planned([
        { tool: 'asked', input: { a: 1 } },
        { tool: 'free', input: { got: '{{signal.payload}}' } },
      ]),
    )
    await bench.waits(id)
    await bench.signal(id, 'submit_input', { payload: { x: 7 } })
    await bench.ended(id)
    expect(asked.callsOf(id).map(({ input }) => input)).toEqual([{ a: 1 }])
    expect(free.callsOf(id).map(({ input }) => input)).toEqual([{ got: { x: 7 } }])
  })

  test('a rejection fails the run without the call, and a retry asks again', async () => {
    const id = await bench.create(scripted([step('asked')]))
    await bench.waits(id)
    await bench.signal(id, 'reject')
    expect(outline(await bench.ended(id)).slice(-2)).toEqual(['signal reject', 'failed signal_rejected'])
    await bench.command(id, 'retry')
    await bench.waits(id, 2)
    expect(asked.callsOf(id)).toHaveLength(0)
    await bench.signal(id, 'approve')
    expect(outline(await bench.ended(id, 2)).at(-1)).toBe('succeeded')
    expect(asked.callsOf(id)).toHaveLength(1)
  })

  test('calls that need no word are made first, the others one after the other', async () => {
    const tools = ['asked', 'free', 'asked'].map((name, n) => ({ name, input: { n } }))
    const id = await bench.create(scripted([{ tools }]))
    await bench.waits(id)
    expect(free.callsOf(id)).toHaveLength(1)
    await bench.signal(id, 'approve')
    await bench.waits(id, 2)
    expect(asked.callsOf(id)).toHaveLength(1)
    await bench.signal(id, 'approve')
    expect(outline(await bench.ended(id)).at(-1)).toBe('succeeded')
    expect([asked, free].map((tool) => tool.callsOf(id).length)).toEqual([2, 1])
  })

  test('an approval counts for one call: the next one of the same tool asks again', async () => {
    const id = await bench.create(scripted([step('asked'), step('asked')]))
    await bench.waits(id)
    await bench.signal(id, 'approve')
    await bench.waits(id, 2)
    expect(asked.callsOf(id)).toHaveLength(1)
    await bench.command(id, 'cancel')
  })

  test('sensitive values are masked in the prompt and in the call that is shown', async () => {
    const password = 'correct horse battery staple'
    const body = planned([{ tool: 'asked', input: { password: '{{input.password}}' } }], [], {
      input: { password },
      sensitivity_tags: [{ path: '$.input.password', classification: 'credential' }],
    })
    const id = await bench.create(body)
    await bench.waits(id)
    expect(await bench.include(id, 'awaiting_input')).toMatchObject({ prompt: expect.stringContaining('"***"') })
    await bench.signal(id, 'approve')
    await bench.ended(id)
    expect(asked.callsOf(id).map(({ input }) => input)).toEqual([{ password }])
  })
})

describe('a run’s own rules', () => {
  const narrowed = (tool_policy: object) => ({ metadata: { tool_policy } })

  test('narrow what it may do', async () => {
    const { events } = await bench.play(scripted([step('free')], narrowed({ '*': 'deny' })))
    expect(outline(events)).toContain('invoked free policy_denied')
  })

  test('never widen it', async () => {
    const { events } = await bench.play(scripted([step('denied')], narrowed({ denied: 'allow' })))
    expect(outline(events)).toContain('invoked denied policy_denied')
  })
})

describe('private data, a stranger’s text and a way out', () => {
  test('any two of them need no approval', async () => {
    for (const tools of [
      ['diary', 'post'],
      ['gossip', 'post'],
      ['gossip', 'diary'],
    ]) {
      const { events } = await bench.play(scripted(tools.map((name) => step(name))))
      expect(outline(events).at(-1), tools.join()).toBe('succeeded')
    }
  })

  test('all three in one run: sending asks, whatever the order of the others', async () => {
    for (const tools of [
      ['diary', 'gossip', 'post'],
      ['gossip', 'diary', 'post'],
    ]) {
      const id = await bench.create(scripted(tools.map((name) => step(name))))
      await bench.waits(id)
      expect(await bench.include(id, 'awaiting_input')).toMatchObject({ prompt: expect.stringContaining('Call post') })
      expect(post.callsOf(id)).toHaveLength(0)
      await bench.signal(id, 'approve')
      await bench.ended(id)
      expect(post.callsOf(id)).toHaveLength(1)
    }
  })

  test('calls of one turn have not read each other’s results', async () => {
    const { events } = await bench.play(scripted([step('diary', 'gossip', 'post')]))
    expect(outline(events).at(-1)).toBe('succeeded')
  })

  test('a sensitive value given to the tool is private data', async () => {
    const script = { say: 'x', tools: [{ name: 'post', input: { pin: '{{secret:$.input.pin}}' } }] }
    const id = await bench.create(
      scripted([step('gossip'), script], {
        input: { pin: 'a-long-pin-93' },
        sensitivity_tags: [{ path: '$.input.pin', classification: 'credential' }],
      }),
    )
    await bench.waits(id)
    await bench.signal(id, 'approve')
    await bench.ended(id)
    expect(post.callsOf(id).map(({ input }) => input)).toEqual([{ pin: 'a-long-pin-93' }])
  })
})
