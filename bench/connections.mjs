// 10,000 connections that one client holds: what each takes of the service, and how soon another client is answered
// meanwhile. Also streams that are not read. The limit of open files must allow twice as many (`ulimit -n`).
import { once } from 'node:events'
import { connect } from 'node:net'
import { percentile, report } from './lib/report.mjs'
import { createRun } from './lib/send.mjs'
import { benchKey, startProcess } from './lib/service.mjs'

const authorization = `Authorization: Bearer ${benchKey}\r\n`
const halfHeader = `GET /v1/runs HTTP/1.1\r\nHost: x\r\n${authorization}A: b`
const halfBody = `POST /v1/runs HTTP/1.1\r\nHost: x\r\n${authorization}Idempotency-Key: a\r\nContent-Length: 200000\r\n\r\n{`

export async function run([countText = '10000', streamsText = '1000']) {
  const [count, streams] = [Number(countText), Number(streamsText)]
  const rows = [
    await measure('none, the baseline', { count: 0, sent: '' }),
    await measure('send nothing', { count, sent: '' }),
    await measure('send half a header', { count, sent: halfHeader }),
    await measure('send half a body', { count, sent: halfBody }),
    await measure('do not read a stream of 10 MB', { count: streams, streams: true }),
  ]
  report('connections', {
    title: 'Connections that a client holds',
    columns: ['they', 'connections', 'resident KB each', 'another client p50 ms', 'p99 ms'],
    rows,
    notes: [
      'The other client lists runs 200 times, on a connection of its own.',
      'What the kernel keeps for a connection is not counted.',
    ],
  })
}

async function measure(name, { count, sent, streams }) {
  const service = await startProcess('./serve.mjs', {
    env: {
      // Room for the other client. A key may have 1,000 streams.
      RUNWRIGHT_MAX_CONNECTIONS: String(count + 100),
      RUNWRIGHT_HEADERS_TIMEOUT_SECONDS: '300',
      RUNWRIGHT_REQUEST_TIMEOUT_SECONDS: '300',
      NODE_OPTIONS: '--expose-gc',
    },
  })
  const held = []
  try {
    await list(service.url, 500)
    const text = streams ? await streamRequest(service) : sent
    const before = (await service.ask({ what: 'memory' })).answer
    await hold(service.url, { count, text, held })
    const times = await list(service.url, 200)
    const after = (await service.ask({ what: 'memory' })).answer
    const each = count === 0 ? '' : ((after.rss - before.rss) / count / 1000).toFixed(1)
    return [
      name,
      count.toLocaleString('en'),
      each,
      percentile(times, 0.5).toFixed(1),
      percentile(times, 0.99).toFixed(1),
    ]
  } finally {
    for (const socket of held) socket.destroy()
    await service.stop()
  }
}

async function streamRequest(service) {
  const body = JSON.stringify({ input: {}, metadata: {} })
  const runId = await createRun(service.url, { idempotencyKey: 'stream', body })
  await service.ask({ what: 'appendDeltas', runId, count: 50_000 })
  return `GET /v1/runs/${runId}/events/stream HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`
}

async function hold(url, { count, text, held }) {
  const { hostname, port } = new URL(url)
  while (held.length < count) {
    const opened = Array.from({ length: Math.min(200, count - held.length) }, async () => {
      const socket = connect(Number(port), hostname).on('error', () => undefined)
      held.push(socket)
      await once(socket, 'connect')
      socket.pause().write(text)
    })
    await Promise.all(opened)
  }
}

/** The time of each request, in ms. */
async function list(url, requests) {
  const times = []
  for (let number = 0; number < requests; number += 1) {
    const start = performance.now()
    const response = await fetch(`${url}/v1/runs`, { headers: { authorization: `Bearer ${benchKey}` } })
    await response.text()
    if (response.status !== 200) throw new Error(`the other client got ${response.status}`)
    times.push(performance.now() - start)
  }
  return times
}
