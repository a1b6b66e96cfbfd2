// Many SSE clients in one process. Reports to its parent how late events came, and whether any was missing.
import { connect } from 'node:net'

const streams = []
let latencies = []
let gaps = 0
let events = 0

function open({ url, key, path }) {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    let buffered = ''
    let last = 0
    socket.on('connect', () =>
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\naccept: text/event-stream\r\n\r\n`,
      ),
    )
    socket.on('error', reject)
    socket.on('data', (data) => {
      const now = Date.now()
      buffered += data.toString('latin1')
      if (buffered.startsWith('HTTP/1.1') && !buffered.includes('retry: 1000')) return
      resolve()
      const lines = buffered.split('\n')
      buffered = lines.pop() ?? ''
      for (const line of lines) {
        if (!line.startsWith('data: {')) continue
        const { seq, timestamp } = JSON.parse(line.slice(6))
        if (last !== 0 && seq !== last + 1) gaps += 1
        last = seq
        events += 1
        latencies.push(now - Date.parse(timestamp))
      }
    })
    streams.push(socket)
  })
}

const answers = {
  open: async ({ requests }) => {
    for (let start = 0; start < requests.length; start += 50)
      await Promise.all(requests.slice(start, start + 50).map(open))
  },
  forget: async () => {
    latencies = []
    events = 0
  },
  result: async () => ({ latencies, gaps, events }),
}
process.on('message', async (question) => {
  process.send({ number: question.number, answer: await answers[question.what](question) })
})
process.on('SIGTERM', () => process.exit(0))
console.log('{}')
