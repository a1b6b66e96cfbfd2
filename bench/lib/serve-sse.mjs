// The baseline for streams: bare node:http that sends events to everyone from memory, with no database and no log.
import { createServer } from 'node:http'

const open = new Map()
const server = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('retry: 1000\n\n')
  const stream = { response, seq: 0 }
  open.set(request.url, stream)
  response.on('close', () => open.delete(request.url))
})
let sending
const answers = {
  append: async ({ perSecond }) => {
    const everyMs = 10
    let due = 0
    let next = 0
    sending = setInterval(() => {
      const streams = [...open.values()]
      for (due += (streams.length * perSecond * everyMs) / 1000; due >= 1; due -= 1) {
        const stream = streams[next % streams.length]
        next += 1
        stream.seq += 1
        const value = { kind: 'content_delta', content_delta: `piece ${next} of something that an agent says` }
        const event = {
          seq: stream.seq,
          type: 'step.progress',
          timestamp: new Date().toISOString(),
          payload: { redacted: false, value },
        }
        stream.response.write(`id: ${stream.seq}\nevent: run_event\ndata: ${JSON.stringify(event)}\n\n`)
      }
    }, everyMs)
  },
  stopAppending: async () => clearInterval(sending),
}
process.on('message', async (question) => {
  process.send({ number: question.number, answer: await answers[question.what](question) })
})
process.on('SIGTERM', () => process.exit(0))
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })))
