// Creates runs over HTTP, `inFlight` at a time. argv: JSON { url, key, runs, inFlight, body }.
import { Agent, request } from 'node:http'

const { url, key, runs, inFlight, body } = JSON.parse(process.argv[2])
const agent = new Agent({ keepAlive: true, maxSockets: inFlight })
let started = 0

const create = (number) =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': `drain-${process.pid}-${number}`,
      'content-length': Buffer.byteLength(body),
    }
    const sent = request(`${url}/v1/runs`, { method: 'POST', agent, headers }, (response) => {
      response.resume()
      response.on('end', () =>
        response.statusCode === 201 ? resolve() : reject(new Error(`status ${response.statusCode}`)),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })

const lane = async () => {
  while (started < runs) {
    started += 1
    await create(started)
  }
}
await Promise.all(Array.from({ length: inFlight }, lane))
agent.destroy()
