// A load generator that costs little: raw keep-alive sockets, one request in flight on each, answers counted by status.
// argv: JSON { url, key, connections, seconds, body }. Prints one JSON line with what came back.
import { connect } from 'node:net'

const { url, key, connections, seconds, body } = JSON.parse(process.argv[2])
const { hostname, port } = new URL(url)
const statuses = {}
const latencies = []
let sent = 0
let running = true

const requestText = () => {
  sent += 1
  return (
    `POST /v1/runs HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n` +
    `idempotency-key: bench-${process.pid}-${sent}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}

function drive() {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    socket.setNoDelay(true)
    let buffered = ''
    let start = 0
    const send = () => {
      start = performance.now()
      socket.write(requestText())
    }
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('data', (data) => {
      buffered += data.toString('latin1')
      const headEnd = buffered.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const length = Number(/content-length: (\d+)/i.exec(buffered)?.[1])
      if (buffered.length < headEnd + 4 + length) return
      const status = buffered.slice(9, 12)
      buffered = ''
      statuses[status] = (statuses[status] ?? 0) + 1
      latencies.push(performance.now() - start)
      if (running) return send()
      socket.end()
      resolve()
    })
  })
}

const start = performance.now()
setTimeout(() => {
  running = false
}, seconds * 1000)
await Promise.all(Array.from({ length: connections }, drive))
const elapsed = (performance.now() - start) / 1000
latencies.sort((a, b) => a - b)
const at = (share) => latencies[Math.floor(latencies.length * share)]
console.log(JSON.stringify({ perSecond: latencies.length / elapsed, statuses, p50: at(0.5), p99: at(0.99) }))
