// Runs the examples of docs/client.md.
import { readFileSync } from 'node:fs'
import { createRunSchema, planSchema, signalSchema } from '@runwright/contract'
import { afterEach, expect, test, vi } from 'vitest'
import { Runwright } from '../src/index.ts'
import { frame } from './event-server.ts'
import { answer, type Received, startServer } from './protocol-server.ts'

const text = readFileSync(new URL('../../../docs/client.md', import.meta.url), 'utf8')
const AsyncFunction = (async () => {}).constructor as FunctionConstructor

const stream = frame(1, 'run.created') + frame(2, 'run.awaiting_input') + frame(3, 'run.worker.succeeded')
const run = { id: 'run_1', status: 'succeeded', event_payload: { redacted: false, value: { content: 'paid' } } }

const answerOf = ({ method, path }: Received) => {
  if (path.endsWith('/signal')) return { ok: true }
  if (path.endsWith('/events')) return { events: [], next_cursor: 3 }
  return method === 'POST' ? { ...run, status: 'queued' } : run
}

afterEach(() => vi.unstubAllEnvs())

/** Runs an example. Returns what it logs. */
async function runExample(file: string, url: string): Promise<unknown[][]> {
  const [, example = ''] = new RegExp(`\`\`\`js file=${file}\\n([^]*?)\`\`\``).exec(text) ?? []
  const lines: unknown[][] = []
  const execute = new AsyncFunction('Runwright', 'console', example.replace(/^import .*$/m, ''))
  vi.stubEnv('RUNWRIGHT_URL', url)
  vi.stubEnv('RUNWRIGHT_API_KEY', 'key_1:secret')
  await execute(Runwright, { log: (...line: unknown[]) => lines.push(line) })
  return lines
}

test('the first run is created, followed and approved', async () => {
  const server = await startServer((request, response) =>
    request.path.endsWith('/stream') ? response.end(stream) : answer(response, 200, answerOf(request)),
  )
  const lines = await runExample('first-run.mjs', server.url)
  expect(lines.map(([first]) => first)).toEqual([1, 2, 3, 'succeeded'])
  const [created, signal] = server.requests.filter(({ method }) => method === 'POST')
  expect(createRunSchema.extend({ plan: planSchema }).safeParse(created?.body).error).toBeUndefined()
  expect(signal?.body).toEqual({ action: 'approve', await_seq: 2 })
})

test('the calls of a question are decided with one signal', async () => {
  const calls = [
    { call_id: 'call_1', arguments: { amount: 20 } },
    { call_id: 'call_2', arguments: { amount: 500 } },
  ]
  const server = await startServer(({ path, method }, response) =>
    answer(
      response,
      200,
      path === '/v1/runs' ? { runs: [run] } : { ...run, ok: method === 'POST', awaiting_input: { seq: 7, calls } },
    ),
  )
  await runExample('answer.mjs', server.url)
  const sent = server.requests.filter(({ method }) => method === 'POST').map(({ body }) => body)
  const decided = [
    { call_id: 'call_1', approve: true },
    { call_id: 'call_2', deny: 'Ask the finance team first' },
  ]
  expect(sent).toEqual([{ action: 'submit_input', await_seq: 7, calls: decided }])
  expect(signalSchema.safeParse(sent[0]).error).toBeUndefined()
})
