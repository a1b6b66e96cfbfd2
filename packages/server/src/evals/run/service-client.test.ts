import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { RequestRefused, ServiceClient } from './service-client.ts'

/** A server that gives these answers in order. */
async function answering(...answers: readonly { status: number; body: object; headers?: Record<string, string> }[]) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    const { status, body, headers = {} } = answers[seen.length] ?? { status: 500, body: {} }
    seen.push(`${request.method} ${request.url} ${request.headers['idempotency-key']}`)
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = new ServiceClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'key_a:secret')
  return { client, seen, close: () => new Promise((resolve) => server.close(resolve)) }
}

const overloaded = { reason_code: 'OVERLOADED', message: 'Try again.' }

test('a request that a busy service puts off is repeated with the same idempotency key', async () => {
  const { client, seen, close } = await answering(
    { status: 503, body: overloaded, headers: { 'retry-after': '0' } },
    { status: 429, body: overloaded, headers: { 'retry-after': '0' } },
    { status: 201, body: { id: 'run_1' } },
  )
  expect(await client.create({ input: {} }, 'trial-1')).toBe('run_1')
  expect(seen).toEqual(Array.from({ length: 3 }, () => 'POST /v1/runs trial-1'))
  await close()
})

test('a refusal is not repeated, and its words are kept', async () => {
  const { client, seen, close } = await answering({ status: 400, body: { reason_code: 'BAD', message: 'No.' } })
  await expect(client.create({}, 'trial-1')).rejects.toThrow(new RequestRefused('BAD: No.'))
  expect(seen).toHaveLength(1)
  await close()
})
