import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { event } from '../test/event-server.ts'
import { answer, refusal, startServer } from '../test/protocol-server.ts'
import { type FollowedEvent, Runwright } from './index.ts'

const position = (id: string) => `id: ${id}\nevent: position\ndata: {}\n\n`
const message = (id: string, runId: string, seq: number) =>
  `id: ${id}\nevent: run_event\ndata: ${JSON.stringify({ run_id: runId, ...event(seq) })}\n\n`

type Connection = (response: ServerResponse) => unknown
const sends =
  (...parts: string[]): Connection =>
  (response) =>
    response.end(`retry: 1\n\n${parts.join('')}`)
const breaksAfter =
  (...parts: string[]): Connection =>
  (response) =>
    response.write(parts.join(''), () => response.destroy())
const refuses: Connection = (response) => answer(response, 403, refusal('forbidden', 'SCOPE_DENIED'))

async function start(...connections: Connection[]) {
  const server = await startServer((_, response) => (connections.shift() ?? refuses)(response))
  const client = new Runwright({ baseUrl: server.url, apiKey: 'key_1:secret', initialRetryDelayMs: 1, maxRetries: 3 })
  return { ...server, client, cursors: () => server.requests.map(({ query }) => query.cursor) }
}

const shown = ({ run_id, seq, cursor }: FollowedEvent) => `${run_id} ${seq} ${cursor}`

/** Up to the error that ends it. */
async function read(events: AsyncIterable<FollowedEvent>): Promise<string[]> {
  const taken: string[] = []
  try {
    for await (const one of events) taken.push(shown(one))
  } catch (error) {
    taken.push((error as { reasonCode?: string }).reasonCode ?? String(error))
  }
  return taken
}

test('yields the events of all runs, each with the cursor after it', async () => {
  const { client, requests } = await start(sends(position('p'), message('a', 'run_1', 1), message('b', 'run_2', 1)))
  expect(await read(client.events.streamAll())).toEqual(['run_1 1 a', 'run_2 1 b', 'SCOPE_DENIED'])
  expect(requests[0]).toMatchObject({ path: '/v1/events/stream', query: {} })
})

test('continues after the last message, however the connection ended', async () => {
  const { client, cursors } = await start(
    sends(position('p')),
    breaksAfter(message('a', 'run_1', 1)),
    sends(
      message('b', 'run_1', 2),
      `event: error\ndata: ${JSON.stringify(refusal('unavailable', 'SHUTTING_DOWN'))}\n\n`,
    ),
  )
  expect(await read(client.events.streamAll({ cursor: 'mine' }))).toEqual(['run_1 1 a', 'run_1 2 b', 'SCOPE_DENIED'])
  expect(cursors()).toEqual(['mine', 'p', 'a', 'b'])
})

test('gives up after as many failures in a row as the client allows', async () => {
  const { client, requests } = await start(...Array.from({ length: 9 }, () => breaksAfter('')))
  expect(await read(client.events.streamAll({ maxRetries: 2 }))).toHaveLength(1)
  expect(requests).toHaveLength(3)
})
