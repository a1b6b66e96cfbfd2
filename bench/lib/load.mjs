// A cheap load generator: raw keep-alive sockets, one request in flight on each, answers counted by status.
// argv: JSON { url, key, connections, seconds, body }. Prints one JSON line with what came back.
import { connect } from 'node:net'

const { url, key, connections, seconds, body } = JSON.parse(process.argv[2])
const { hostname, port } = new URL(url)
const statuses = {}
const latencies = []
let sent = 0
let running = true

const head =
  `POST /v1/runs HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n` +
  `content-length: ${Buffer.byteLength(body)}\r\nidempotency-key: bench-${process.pid}-`

/** Where the first answer in the bytes ends; undefined when it is not complete. */
function endOfAnswer(bytes) {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const end = headEnd + 4 + Number(/content-length: (\d+)/i.exec(bytes.toString('latin1', 0, headEnd))?.[1])
  return bytes.length < end ? undefined : end
}

// All successful answers have the same length, so their end is known.
let usualLength = 0

function drive() {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    socket.setNoDelay(true)
    let buffered = null
    let start = 0
    const send = () => {
      start = performance.now()
      sent += 1
      socket.write(`${head}${sent}\r\n\r\n${body}`)
    }
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('data', (data) => {
      const bytes = buffered ? Buffer.concat([buffered, data]) : data
      if (bytes.length !== usualLength) {
        usualLength = endOfAnswer(bytes) ?? usualLength
        if (bytes.length !== usualLength) {
          buffered = bytes
          return
        }
      }
      buffered = null
      const status = bytes.toString('latin1', 9, 12)
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
