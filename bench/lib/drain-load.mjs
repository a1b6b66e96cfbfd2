// Creates runs over HTTP, `inFlight` at a time. argv: JSON { url, key, runs, inFlight, body, isPatient }.
// A patient one does what Retry-After says when the service is too busy; else any answer but 201 is an error.
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const { url, key, runs, inFlight, body, isPatient = false } = JSON.parse(process.argv[2])
const agent = new Agent({ keepAlive: true, maxSockets: inFlight })
let started = 0

const post = (number) =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': `drain-${process.pid}-${number}`,
      'content-length': Buffer.byteLength(body),
    }
    const sent = request(`${url}/v1/runs`, { method: 'POST', agent, headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(response))
    })
    sent.on('error', reject)
    sent.end(body)
  })

async function create(number) {
  for (;;) {
    const { statusCode, headers } = await post(number)
    if (statusCode === 201) return
    if (statusCode !== 503 || !isPatient) throw new Error(`status ${statusCode}`)
    await sleep(Number(headers['retry-after']) * 1000)
  }
}

const lane = async () => {
  while (started < runs) {
    started += 1
    await create(started)
  }
}
await Promise.all(Array.from({ length: inFlight }, lane))
agent.destroy()
