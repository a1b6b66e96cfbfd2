// The program of the README and the examples that need no model, run as written against one service.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Runwright } from '@runwright/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GET as getEvents } from '../../../../examples/nextjs/app/api/runs/[id]/events/route.ts'
import { GET as getRun } from '../../../../examples/nextjs/app/api/runs/[id]/route.ts'
import { POST as postSignal } from '../../../../examples/nextjs/app/api/runs/[id]/signal/route.ts'
import { POST as postRun } from '../../../../examples/nextjs/app/api/runs/route.ts'
import { applyEvent, emptyView, hasEnded, type RunView } from '../../../../examples/nextjs/lib/run-view.ts'
import { ownConnections } from '../support/cli.ts'
import { type Bench, startBench } from '../support/engine.ts'
import { Occurrences } from '../support/occurrences.ts'
import { ExampleProgram, exampleFile } from './example-program.ts'

const reports = mkdtempSync(join(tmpdir(), 'runwright-reports-'))
let bench: Bench
let client: Runwright
let connections: ReturnType<typeof ownConnections>
beforeAll(async () => {
  connections = ownConnections()
  bench = await startBench({ RUNWRIGHT_TOOLS_DIR: exampleFile('nightly/tools') })
  const { url, key } = bench.service
  Object.assign(process.env, { REPORTS_DIR: reports, RUNWRIGHT_URL: url, RUNWRIGHT_API_KEY: key })
  client = new Runwright({ baseUrl: url, apiKey: key })
})
afterAll(async () => {
  for (const name of ['REPORTS_DIR', 'RUNWRIGHT_URL', 'RUNWRIGHT_API_KEY']) delete process.env[name]
  rmSync(reports, { recursive: true })
  await connections.close()
  await bench.stop()
})

describe('the program of the README', () => {
  const readme = readFileSync(exampleFile('../README.md'), 'utf8')
  const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? []
  const [, shown = ''] = /```text\n([\s\S]*?)```/.exec(readme) ?? []
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor

  function execute(text: string, printed: Occurrences<string>): Promise<void> {
    const run = new AsyncFunction('Runwright', 'console', text.replace(/^import .*$/m, ''))
    return run(Runwright, { log: (line: string) => printed.add(line) })
  }

  test('has twelve lines', () => {
    expect(program.trimEnd().split('\n')).toHaveLength(12)
  })

  test('creates a run, streams it and approves it, and prints what is shown', async () => {
    const printed = new Occurrences<string>()
    await execute(program, printed)
    const pattern = shown.trimEnd().replaceAll('.', '\\.').replaceAll('…', '[^]*')
    expect(printed.all.join('\n')).toMatch(new RegExp(`^${pattern}$`))
  })

  test('without the line with `signal`, the run waits until it is approved elsewhere', async () => {
    const printed = new Occurrences<string>()
    const ended = execute(program.replace(/^.*signal.*\n/m, ''), printed)
    await printed.nth(1, (line) => line === 'run.awaiting_input')
    const { runs } = await client.runs.list({ awaiting_input: true, include: ['awaiting_input'] })
    expect(runs).toMatchObject([{ awaiting_input: { prompt: 'Pay 1146 euros?' } }])
    const [{ id, awaiting_input } = { id: '' }] = runs
    await client.runs.signal(id, { action: 'approve', await_seq: awaiting_input?.seq ?? 0 })
    await ended
    expect(printed.all.at(-1)).toBe('run.worker.succeeded')
  })
})

test('nightly: a day has one run and one report, however often it is started', async () => {
  const night = () => new ExampleProgram(bench.service, 'nightly/nightly.mjs', '2026-11-16').ended
  const [first, second] = [await night(), await night()]
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout).toBe(`succeeded ${JSON.stringify({ path: join(reports, '2026-11-16.json') })}\n`)
  expect(second).toMatchObject({ code: 0, stdout: first.stdout })
  expect(second.stderr).toMatch(/^There is a run for 2026-11-16 already: run_\w+\n$/)
  expect(readdirSync(reports)).toEqual(['2026-11-16.json'])
  expect(JSON.parse(readFileSync(join(reports, '2026-11-16.json'), 'utf8'))).toEqual({
    day: '2026-11-16',
    totals: { north: 67.5, south: 312, west: 77.25 },
  })
})

describe('nextjs', () => {
  const ask = (path: string, user: string, init: RequestInit = {}) =>
    new Request(`http://app.test${path}`, { ...init, headers: { cookie: `user=${user}`, ...init.headers } })
  const post = (path: string, user: string, body: object) =>
    ask(path, user, { method: 'POST', body: JSON.stringify(body) })
  const at = (id: string) => ({ params: Promise.resolve({ id }) })

  /** What the page shows, until it holds. */
  async function viewOf(response: Response, holds: (view: RunView) => boolean): Promise<RunView> {
    let view = emptyView
    let rest = ''
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      const messages = (rest + Buffer.from(chunk).toString('utf8')).split('\n\n')
      rest = messages.pop() ?? ''
      for (const message of messages) view = applyEvent(view, JSON.parse(message.split('\ndata: ')[1] ?? ''))
      if (holds(view)) break
    }
    return view
  }

  const gated = (user: string) =>
    client.runs.create({
      input: {},
      subject_id: user,
      plan: {
        steps: [
          { await_input: { input_kind: 'approval', prompt: 'Send it?' } },
          { tool: 'calculator', input: { expression: '6*7' } },
        ],
      },
    })

  test('a click that is sent twice creates one run, and its text is streamed', async () => {
    const body = { goal: 'Say hello', requestKey: 'click-1' }
    const [first, again] = [await postRun(post('/', 'ada', body)), await postRun(post('/', 'ada', body))]
    const { id } = (await first.json()) as { id: string }
    expect([first.status, await again.json()]).toEqual([201, { id }])
    const view = await viewOf(await getEvents(ask('/', 'ada'), at(id)), hasEnded)
    expect(view.status).toBe('succeeded')
    expect(view.text.length).toBeGreaterThan(10)
  })

  test('the page shows what the run asks, and the answer reaches exactly that question', async () => {
    const { id } = await gated('ada')
    const { waitSeq } = await viewOf(
      await getEvents(ask('/', 'ada'), at(id)),
      ({ status }) => status === 'awaiting_input',
    )
    expect(await (await getRun(ask('/', 'ada'), at(id))).json()).toMatchObject({ wait: { prompt: 'Send it?' } })
    const other = await postSignal(post('/', 'ada', { action: 'approve', waitSeq: 1 }), at(id))
    expect([other.status, await other.json()]).toEqual([409, { message: expect.any(String) }])
    const answer = await postSignal(post('/', 'ada', { action: 'approve', waitSeq }), at(id))
    expect(await answer.json()).toEqual({ ok: true })
    const later = ask('/', 'ada', { headers: { 'last-event-id': String(waitSeq) } })
    const messages = await (await getEvents(later, at(id))).text()
    expect(messages).toMatch(new RegExp(`^id: ${Number(waitSeq) + 1}\n`))
    const view = await viewOf(new Response(messages), hasEnded)
    expect(view).toMatchObject({ status: 'succeeded', tools: ['calculator'], waitSeq: undefined })
  })

  test('a request without a user, or with a body that does not fit, changes nothing', async () => {
    expect((await postRun(new Request('http://app.test/', { method: 'POST', body: '{}' }))).status).toBe(401)
    for (const body of ['', 'null', '[]', '{"goal":1}']) {
      expect((await postRun(ask('/', 'ada', { method: 'POST', body }))).status).toBe(400)
      expect((await postSignal(ask('/', 'ada', { method: 'POST', body }), at('run_1'))).status).toBe(400)
    }
  })

  test('a run of another user looks like none, in every handler', async () => {
    const { id } = await gated('ada')
    const signal = post('/', 'eve', { action: 'approve', waitSeq: 1 })
    const answers = [
      await getRun(ask('/', 'eve'), at(id)),
      await getEvents(ask('/', 'eve'), at(id)),
      await postSignal(signal, at(id)),
      await getRun(ask('/', 'ada'), at('run_00000000000000000000000000')),
    ]
    for (const answer of answers)
      expect([answer.status, await answer.json()]).toEqual([404, { message: 'There is no such run.' }])
    expect((await client.runs.get(id, { include: ['signals'] })).signals).toEqual([])
  })

  test('the key of the service is in no file of the browser', () => {
    for (const file of ['app/page.tsx', 'lib/run-view.ts']) {
      expect(readFileSync(exampleFile(`nextjs/${file}`), 'utf8')).not.toMatch(/process\.env|lib\/runwright/)
    }
  })
})
