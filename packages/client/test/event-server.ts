// A service that knows one run: it streams what a test scripts, connection by connection, and answers polls and gets.
import type { ServerResponse } from 'node:http'
import { type RunEvent, Runwright } from '../src/index.ts'
import { answer, type Received, startServer } from './protocol-server.ts'

export const runId = 'run_1'

export const event = (seq: number, type: RunEvent['type'] = 'step.progress') => ({
  seq,
  type,
  timestamp: '2026-11-15T09:30:00.000Z',
  payload: { redacted: false, value: {} },
})

export const frame = (seq: number, type?: RunEvent['type']) =>
  `id: ${seq}\nevent: run_event\ndata: ${JSON.stringify(event(seq, type))}\n\n`

/** One connection: given what was asked, writes what it likes. */
type Connection = (response: ServerResponse, request: Received) => unknown

/** Text that ends with an orderly close. */
export const sends =
  (...parts: string[]): Connection =>
  (response) =>
    response.end(parts.join(''))

/** Text, then a connection that is torn down. */
export const breaksAfter =
  (...parts: string[]): Connection =>
  (response) =>
    response.write(parts.join(''), () => response.destroy())

export const refuses =
  (status: number, body: unknown, headers: Record<string, string> = {}): Connection =>
  (response) =>
    answer(response, status, body, headers)

interface Run {
  readonly status: string
  /** The last `seq` that a poll knows of. */
  readonly lastSeq: number
}

export const startEventServer = async (run: Run, ...connections: Connection[]) => {
  const left = [...connections]
  const server = await startServer((request, response) => {
    if (request.path === `/v1/runs/${runId}`) return answer(response, 200, { id: runId, status: run.status })
    if (request.path === `/v1/runs/${runId}/events`) return answer(response, 200, pageAfter(run, request))
    const connection = left.shift()
    if (!connection) return answer(response, 404, { reason_code: 'NO_CONNECTION_LEFT' })
    return connection(response, request)
  })
  const client = new Runwright({ baseUrl: server.url, apiKey: 'key_1:secret', initialRetryDelayMs: 1, maxRetries: 3 })
  const streams = () => server.requests.filter(({ path }) => path.endsWith('/stream'))
  return { ...server, client, streams }
}

const pageAfter = ({ lastSeq }: Run, { query }: Received) => {
  const cursor = Number(query.cursor ?? 0)
  return {
    events: cursor < lastSeq ? [event(cursor + 1)] : [],
    next_cursor: Math.min(cursor + 1, lastSeq),
    request_id: 'r',
  }
}
