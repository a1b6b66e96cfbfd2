// Many SSE clients in one process that hear what models say in runs. Reports how late tokens came, and what was heard.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { terminalEventTypes } from '../../packages/contract/dist/index.js'
import { Histogram } from './histogram.mjs'
import { SpokenText } from './spoken-text.mjs'

const ends = new Set(terminalEventTypes)
const histogram = new Histogram()
const streams = []

function open({ url, key, path, epoch }) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const stream = { text: new SpokenText(histogram, epoch), end: undefined }
  streams.push(stream)
  socket.on('connect', () =>
    socket.write(
      `GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\naccept: text/event-stream\r\n\r\n`,
    ),
  )
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    stream.ended = new Promise((ended) => {
      socket.on('close', () => {
        stream.end ??= 'connection closed'
        ended()
      })
      readEvents(socket, resolve, (event) => hear(stream, event, socket))
    })
  })
}

function readEvents(socket, onOpen, onEvent) {
  let buffered = ''
  socket.on('data', (data) => {
    buffered += data.toString('latin1')
    if (buffered.startsWith('HTTP/1.1') && !buffered.includes('retry: 1000')) return
    onOpen()
    const lines = buffered.split('\n')
    buffered = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data: {')) onEvent(JSON.parse(line.slice(6)))
  })
}

function hear(stream, { type, payload }, socket) {
  const now = Date.now()
  const { kind, content_delta: delta } = payload?.value ?? {}
  if (kind === 'content_delta') stream.text.hear(delta, now)
  if (!ends.has(type)) return
  stream.end = type
  socket.destroy()
}

const answers = {
  open: async ({ requests }) => {
    for (let start = 0; start < requests.length; start += 50)
      await Promise.all(requests.slice(start, start + 50).map(open))
  },
  forget: async () => histogram.clear(),
  /** When every stream has ended, or the time is over. */
  result: async ({ withinMs }) => {
    await Promise.race([Promise.all(streams.map(({ ended }) => ended)), sleep(withinMs)])
    return {
      hashes: streams.map(({ text }) => text.hash),
      ends: streams.map(({ end }) => end),
      tokens: histogram.count,
      p50: histogram.percentile(0.5),
      p99: histogram.percentile(0.99),
    }
  },
}
process.on('message', async (question) => {
  process.send({ number: question.number, answer: await answers[question.what](question) })
})
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))
console.log('{}')
