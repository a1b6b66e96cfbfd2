// The tools of examples/tools, used as a service would use them.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, ofType, outline, planned, scripted, startBench } from '../support/engine.ts'
import { expectRefusal } from '../support/http.ts'
import { Fleet, newFolder } from '../support/processes.ts'

const folder = join(import.meta.dirname, '../../../../examples/tools')

/** A tracker that opens one ticket for each key. */
class Tracker {
  readonly requests: { readonly key: unknown; readonly ticket: unknown }[] = []
  readonly #numbers = new Map<unknown, number>()
  readonly #server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const key = request.headers['idempotency-key']
    this.requests.push({ key, ticket: JSON.parse(Buffer.concat(chunks).toString()) })
    this.#numbers.set(key, this.#numbers.get(key) ?? this.#numbers.size + 1)
    response.end(JSON.stringify({ number: this.#numbers.get(key) }))
  })

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/tickets`
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

const tracker = new Tracker()
let bench: Bench
beforeAll(async () => {
  process.env.TICKETS_URL = await tracker.start()
  bench = await startBench({ RUNWRIGHT_TOOLS_DIR: folder })
})
afterAll(async () => {
  await bench.stop()
  tracker.stop()
  delete process.env.TICKETS_URL
})

const outputOf = async (id: string) => (await bench.acme.run(id)).event_payload

describe('a plan', () => {
  test('uses them like those that are built in', async () => {
    const step = { id: 'count', tool: 'word_count', input: { text: 'The cat and the dog.', top: 1 } }
    const { id, events } = await bench.play(planned([step]))
    expect(outline(events)).toContain('invoked word_count succeeded')
    const output = { words: 5, top: [{ word: 'the', count: 2 }] }
    expect(await outputOf(id)).toEqual({ redacted: false, value: { content: JSON.stringify(output), output } })
  })

  test('passes on what they give', async () => {
    const { id } = await bench.play(
      planned([
        { id: 'count', tool: 'word_count', input: { text: 'one two three' } },
        { id: 'twice', tool: 'calculator', input: { expression: '{{steps.count.output.words}} * 2' } },
      ]),
    )
    expect((await outputOf(id)).value).toMatchObject({ output: { result: 6 } })
  })

  test('may name them in a process that executes no runs, and nothing that is not there', async () => {
    const api = await startBench({ RUNWRIGHT_TOOLS_DIR: folder }, { worker: false })
    try {
      await api.create(planned([{ id: 'count', tool: 'word_count', input: { text: '' } }]))
      const unknown = await api.acme.create(planned([{ id: 'count', tool: 'sentence_count', input: {} }]))
      expectRefusal(unknown, 400, 'INPUT_PLAN_INVALID')
    } finally {
      await api.stop()
    }
  })
})

describe('a call', () => {
  const ticket = (input: Record<string, unknown>, more = {}) =>
    scripted([{ say: 'done', tools: [{ name: 'create_ticket', input }] }], more)

  test('brings along the key that tells it from others, and the run it is for', async () => {
    const { id, events } = await bench.play(ticket({ title: 'No light' }, { workspace_id: 'hall' }))
    const [invoked] = ofType(events, 'run.tool.invoked')
    expect(invoked).toMatchObject({ tool_outcome: 'succeeded', tool_output_summary: { preview: '{"number":1}' } })
    expect(tracker.requests).toEqual([
      { key: invoked?.tool_call_id, ticket: { title: 'No light', urgent: false, workspace: 'hall', source: id } },
    ])
  })

  test('that the tool refuses by policy is denied with its reason', async () => {
    const { events } = await bench.play(ticket({ title: 'No light' }))
    expect(ofType(events, 'run.tool.invoked')).toMatchObject([
      { tool_outcome: 'policy_denied', policy_reason_code: 'workspace_required' },
    ])
  })

  test('with input that does not fit fails before the tool is run', async () => {
    const before = tracker.requests.length
    const { events } = await bench.play(ticket({ title: '' }, { workspace_id: 'hall' }))
    expect(ofType(events, 'run.tool.invoked')).toMatchObject([{ tool_outcome: 'failed', policy_reason_code: null }])
    expect(tracker.requests).toHaveLength(before)
  })
})

describe('a process whose folder is not there', () => {
  let fleet: Fleet
  beforeAll(async () => {
    fleet = new Fleet(await newFolder(), 'postgres://127.0.0.1:1/none', { RUNWRIGHT_TOOLS_DIR: '/no/such/folder' })
  })
  afterAll(() => fleet.close())

  test.each(['start', 'api', 'worker'] as const)('ends with one sentence: %s', async (part) => {
    const started = fleet.spawn(part)
    expect(await started.exited).toEqual({ code: 1, signal: null })
    expect(started.output.trim()).toBe('RUNWRIGHT_TOOLS_DIR: /no/such/folder does not exist.')
  })
})
