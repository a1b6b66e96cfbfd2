import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { answer, type Handler, refusal, startServer } from '../test/protocol-server.ts'
import { type RunsPage, Runwright } from './index.ts'

const run = (n: number, status = 'queued') => ({
  id: `run_${n}`,
  status,
  metadata: { created_at: `2026-11-15T09:30:0${Math.floor(n / 2)}.000Z` },
})
const message = (event: string, data: object) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
const page = (runs: readonly object[], next_cursor: string | null = null) => message('runs.page', { runs, next_cursor })
const change = (put: readonly object[], gone: readonly string[], next_cursor: string | null = null) =>
  message('runs.changed', { put, gone, next_cursor })

type Connection = (response: ServerResponse) => unknown
const sends =
  (...parts: string[]): Connection =>
  (response) =>
    response.end(parts.join(''))
const breaks: Connection = (response) => response.destroy()
const refuses =
  (status: number, error: string, reasonCode: string): Connection =>
  (response) =>
    answer(response, status, refusal(error, reasonCode))

async function start(...connections: Connection[]) {
  const handle: Handler = (_, response) => (connections.shift() ?? refuses(404, 'not_found', 'NONE_LEFT'))(response)
  const server = await startServer(handle)
  return { ...server, client: new Runwright({ baseUrl: server.url, apiKey: 'key_1:secret', initialRetryDelayMs: 1 }) }
}

const shown = ({ runs, next_cursor }: RunsPage) => [runs.map(({ id, status }) => `${id} ${status}`), next_cursor]

/** The first pages; then the connection is closed. */
async function take(pages: AsyncIterable<RunsPage>, count: number): Promise<unknown[]> {
  const taken: unknown[] = []
  for await (const page of pages) {
    taken.push(shown(page))
    if (taken.length === count) break
  }
  return taken
}

test('yields the page, and the page after each change, newest first', async () => {
  const { client, requests } = await start(
    sends(
      'retry: 1000\n\n',
      page([run(3), run(2)], 'c1'),
      ': keep-alive\n\n',
      change([run(2, 'running'), run(4)], []),
      message('weather', { rain: true }),
      change([], ['run_3'], 'c2'),
    ),
  )
  const query = { status: ['queued', 'running'], include: ['title'] } as const
  expect(await take(client.runs.watch({ ...query, include: ['title'] }), 3)).toEqual([
    [['run_3 queued', 'run_2 queued'], 'c1'],
    [['run_4 queued', 'run_3 queued', 'run_2 running'], null],
    [['run_4 queued', 'run_2 running'], 'c2'],
  ])
  expect(requests[0]).toMatchObject({
    path: '/v1/runs/stream',
    query: { status: 'queued,running', include: 'title' },
    headers: { accept: 'text/event-stream', authorization: 'Bearer key_1:secret' },
  })
})

test('reconnects after a lost connection, a close, a restart and an overload, and tells', async () => {
  const shuttingDown = message('error', refusal('unavailable', 'SHUTTING_DOWN'))
  const { client } = await start(
    sends(page([run(1)]), shuttingDown),
    breaks,
    breaks,
    refuses(503, 'unavailable', 'DATABASE_UNAVAILABLE'),
    breaks,
    breaks,
    breaks,
    sends(page([run(2)])),
    sends(page([run(3)])),
  )
  const errors: unknown[] = []
  const pages = await take(client.runs.watch({}, { onReconnect: (error) => errors.push(error) }), 3)
  expect(pages).toEqual([1, 2, 3].map((n) => [[`run_${n} queued`], null]))
  expect(errors).toHaveLength(8)
  expect(errors[0]).toMatchObject({ reasonCode: 'SHUTTING_DOWN' })
  expect(errors[7]).toBeUndefined()
})

test.each([
  [401, 'unauthorized', 'API_KEY_INVALID'],
  [400, 'bad_request', 'RUNS_QUERY_PARAMS_INVALID'],
])('throws a %i, which no retry resolves', async (status, error, reasonCode) => {
  const { client, requests } = await start(refuses(status, error, reasonCode))
  await expect(take(client.runs.watch(), 1)).rejects.toMatchObject({ status, reasonCode })
  expect(requests).toHaveLength(1)
})

test('throws when the key is revoked while the stream is open', async () => {
  const revoked = message('error', refusal('unauthorized', 'API_KEY_REVOKED'))
  const { client } = await start(sends(page([]), revoked))
  await expect(take(client.runs.watch(), 2)).rejects.toMatchObject({ status: 401, reasonCode: 'API_KEY_REVOKED' })
})

test('ends with the reason of the signal, also while it waits', async () => {
  const stop = new AbortController()
  const { client } = await start((response) => response.write(page([run(1)])))
  const reason = new Error('enough')
  const watching = (async () => {
    for await (const _ of client.runs.watch({}, { signal: stop.signal })) stop.abort(reason)
  })()
  await expect(watching).rejects.toBe(reason)
})
