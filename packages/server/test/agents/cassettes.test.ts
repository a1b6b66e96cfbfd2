// Runs that are recorded with one service, and replayed with another one that has no provider.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Event, TurnPage } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Tool } from '../../src/tools/port/tool.ts'
import { AgentBench, json, verdict } from '../support/agents.ts'
import { canaryDocument, canaryTags, findCanaries } from '../support/canaries.ts'
import { type Bench, outline, planned, startBench } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'
import { callTools, fail, say } from '../support/providers/script.ts'

const page: Tool = { ...ownTool({ name: 'page' }), run: async () => 'x'.repeat(20_000) }
const stock: Tool = { ...ownTool({ name: 'stock' }), run: async () => ({ left: 7 }) }
const soldOut: Tool = { ...stock, run: async () => ({ left: 0 }) }

const conversation = { input: { task: 'count' }, metadata: { trace: 'a' }, routing_hint: 'require_planning' }
const secretive = { ...canaryDocument(), sensitivity_tags: canaryTags, routing_hint: 'skip_planning' }
const refused = planned([{ id: 'a', instruction: 'Refuse' }])

let dir: string
let recorded: { readonly id: string; readonly events: Event[] }
let failedRun: { readonly events: Event[] }
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'cassettes-'))
  const agents = await AgentBench.start({ tools: [page, stock], env: { RUNWRIGHT_RECORD: dir } })
  const readOn = ({
    messages,
  }: {
    messages: readonly { text: string; toolResults: readonly { text: string }[] }[]
  }) => {
    const said = messages.flatMap(({ toolResults }) => toolResults.map(({ text }) => text)).join('\n')
    const id = /call_\w{26}/.exec(said)?.[0] ?? 'none'
    return callTools([{ name: 'read_result', args: { call_id: id, offset: 16_000 } }])
  }
  recorded = await agents.play(
    {
      planner: json({ goal: 'Count', steps: [{ id: 'count', instruction: 'Count it' }] }),
      worker: [
        fail('overloaded'),
        callTools([{ name: 'page', args: {} }]),
        readOn,
        callTools([
          { name: 'stock', args: {} },
          { name: 'current_time', args: {} },
        ]),
        say('7 are left.'),
      ],
      judge: verdict('stop'),
    },
    conversation,
  )
  const all = JSON.stringify(canaryDocument())
  await agents.play({ worker: [callTools([{ name: 'stock', args: { all } }], { text: all }), say(all)] }, secretive)
  failedRun = await agents.play({ worker: say('', { refusal: 'No.' }) }, refused)
  await agents.stop()
})
afterAll(() => rm(dir, { recursive: true }))

const replaying = (tools: readonly Tool[] = [page, stock], folder = dir): Promise<Bench> =>
  startBench({ RUNWRIGHT_REPLAY: folder, RUNWRIGHT_MODEL: 'anthropic/claude-9' }, { tools, environment: {} })

const tokensOf = async (bench: Bench, id: string) => bench.include(id, 'usage')

/** Waits for a provider are not replayed. Calls that were made at the same time end in any order. */
const decisions = (events: Event[]) => {
  const ordered: string[] = []
  for (const line of outline(events).filter((each) => !each.includes('provider_retry'))) {
    const last = isEnd(line) && isEnd(ordered.at(-1)) ? ordered.pop() : undefined
    ordered.push(last === undefined ? line : joined(last, line))
  }
  return ordered
}

const isEnd = (line = ''): boolean => /^(?:tool_call_done|invoked) /.test(line)
const joined = (lines: string, line: string): string => [...lines.split('\n'), line].toSorted().join('\n')

describe('a recorded run', () => {
  let bench: Bench
  beforeAll(async () => {
    bench = await replaying()
  })
  afterAll(() => bench.stop())

  test('is replayed to the same end without a provider, again and again, with the recorded usage', async () => {
    for (let n = 0; n < 2; n += 1) {
      const { id, events } = await bench.play({ ...conversation, metadata: { trace: n } })
      expect(decisions(events)).toEqual(decisions(recorded.events))
      expect((await bench.acme.run(id)).event_payload.value).toMatchObject({ content: '7 are left.' })
      const { turns } = (await bench.acme.get(`/v1/runs/${id}/turns`)).json<TurnPage>()
      expect(turns.every(({ usage }) => (usage?.total ?? 0) > 0)).toBe(true)
      expect(await tokensOf(bench, id)).toMatchObject({
        tokens: turns.reduce((sum, { usage }) => sum + (usage?.total ?? 0), 0),
      })
    }
  })

  test('that failed fails in the same way', async () => {
    const { events } = await bench.play(refused)
    expect(outline(events)).toEqual(outline(failedRun.events))
  })

  test('with secrets has them neither in its cassette nor in its replay', async () => {
    for (const name of await readdir(dir)) {
      expect(findCanaries(name, await readFile(join(dir, name), 'utf8'))).toEqual([])
    }
    const { events } = await bench.play(secretive)
    expect(outline(events).at(-1)).toBe('succeeded')
    expect(findCanaries('events', JSON.stringify(events))).toEqual([])
  })

  test('a run that does something else has no cassette, and says its fingerprint', async () => {
    const { id, events } = await bench.play({ ...conversation, input: { task: 'something else' } })
    expect(outline(events).at(-1)).toBe('failed cassette_missing')
    expect(await bench.include(id, 'failure')).toMatchObject({
      reason_code: 'cassette_missing',
      message: expect.stringMatching(/fingerprint is [0-9a-f]{32}/),
    })
  })
})

test('a run whose tool returns something else fails at the call that shows it', async () => {
  const bench = await replaying([page, soldOut])
  const { id, events } = await bench.play(conversation)
  expect(outline(events).at(-1)).toBe('failed cassette_mismatch')
  const { message } = await bench.include<{ message: string }>(id, 'failure')
  expect(message).toContain('The call 1/count:3 is not the recorded one')
  expect(message).toMatch(/message \d+: recorded ".*left.*:7.*", now ".*left.*:0/)
  await bench.stop()
})

test('a judge that is shown something else fails the run, and does not fall back to the rule', async () => {
  const copies = await mkdtemp(join(tmpdir(), 'cassettes-'))
  for (const name of await readdir(dir)) {
    const text = await readFile(join(dir, name), 'utf8')
    await writeFile(join(copies, name), text.replaceAll('You judge the work', 'You judge the book'))
  }
  const bench = await replaying([page, stock], copies)
  const { id, events } = await bench.play(conversation)
  expect(outline(events).slice(-2)).toEqual(['judge stop cassette_mismatch', 'failed cassette_mismatch'])
  expect(await bench.include(id, 'failure')).toMatchObject({
    message: expect.stringContaining('The call 1/count:judge is not the recorded one. message 1'),
  })
  await bench.stop()
  await rm(copies, { recursive: true })
})
