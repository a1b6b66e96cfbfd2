// HTTP as a client of the service, with connections kept alive.
import { Agent, request } from 'node:http'
import { benchKey } from './service.mjs'

const agent = new Agent({ keepAlive: true })
const bearer = (key) => `Bearer ${key}`

/** Resolves with the body, or with what has been received when `onData` returns true. */
export function send(url, options, text, onData) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, ...options }, (response) => {
      let received = ''
      response.setEncoding('utf8')
      response.on('data', (data) => {
        received += data
        if (onData?.(received)) {
          resolve(received)
          sent.destroy()
        }
      })
      response.on('end', () => resolve(received))
    })
    sent.on('error', reject)
    sent.end(text)
  })
}

/** Creates a run and resolves with its id. */
export async function createRun(url, { idempotencyKey, body, key = benchKey }) {
  const headers = { authorization: bearer(key), 'content-type': 'application/json', 'idempotency-key': idempotencyKey }
  const text = await send(`${url}/v1/runs`, { method: 'POST', headers }, body)
  const { id } = JSON.parse(text)
  if (id === undefined) throw new Error(`a run was not created: ${text}`)
  return id
}

/** Reads the event stream of a run until `isEnough` says so of what has been received. */
export const followRun = (url, id, isEnough, key = benchKey) =>
  send(`${url}/v1/runs/${id}/events/stream`, { headers: { authorization: bearer(key) } }, undefined, isEnough)

/** Whether what has been received of a run's events has its end. */
export const hasEnd = (received) =>
  /"type":"run\.(worker\.succeeded|worker\.failed|cancelled|limit_exceeded)"/.test(received)
