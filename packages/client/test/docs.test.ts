// Runs the example of docs/client.md.
import { readFileSync } from 'node:fs'
import { createRunSchema, planSchema } from '@runwright/contract'
import { afterEach, expect, test, vi } from 'vitest'
import { Runwright } from '../src/index.ts'
import { frame } from './event-server.ts'
import { answer, type Received, startServer } from './protocol-server.ts'

const text = readFileSync(new URL('../../../docs/client.md', import.meta.url), 'utf8')
const [, example = ''] = /```js file=first-run\.mjs\n([\s\S]*?)```/.exec(text) ?? []
const AsyncFunction = (async () => {}).constructor as FunctionConstructor

const stream = frame(1, 'run.created') + frame(2, 'run.awaiting_input') + frame(3, 'run.worker.succeeded')
const run = { id: 'run_1', status: 'succeeded', event_payload: { redacted: false, value: { content: 'paid' } } }

const answerOf = ({ method, path }: Received) => {
  if (path.endsWith('/signal')) return { ok: true }
  if (path.endsWith('/events')) return { events: [], next_cursor: 3 }
  return method === 'POST' ? { ...run, status: 'queued' } : run
}

afterEach(() => vi.unstubAllEnvs())

test('the example runs', async () => {
  const server = await startServer((request, response) =>
    request.path.endsWith('/stream') ? response.end(stream) : answer(response, 200, answerOf(request)),
  )
  const lines: unknown[][] = []
  const body = example.replace(/^import .*$/m, '')
  const execute = new AsyncFunction('Runwright', 'console', body)
  vi.stubEnv('RUNWRIGHT_URL', server.url)
  vi.stubEnv('RUNWRIGHT_API_KEY', 'key_1:secret')
  await execute(Runwright, { log: (...line: unknown[]) => lines.push(line) })
  expect(lines.map(([first]) => first)).toEqual([1, 2, 3, 'succeeded'])
  const [created, signal] = server.requests.filter(({ method }) => method === 'POST')
  expect(createRunSchema.extend({ plan: planSchema }).safeParse(created?.body).error).toBeUndefined()
  expect(signal?.body).toEqual({ action: 'approve', await_seq: 2 })
})
