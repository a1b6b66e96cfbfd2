import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { discardRest } from './discard-rest.ts'

const newRequest = () => new PassThrough() as PassThrough & IncomingMessage
const never = 60_000

test('ends with the body, and takes all of it', async () => {
  const request = newRequest()
  const discarded = discardRest(request, { bytes: 1_000_000, ms: never })
  request.end('x'.repeat(500_000))
  await discarded
  expect(request.readableEnded).toBe(true)
})

test('ends when the client has gone', async () => {
  const request = newRequest()
  const discarded = discardRest(request, { bytes: 10, ms: never })
  request.destroy()
  await discarded
  await discardRest(request, { bytes: 10, ms: never })
})

test('ends after as many bytes as allowed', async () => {
  const request = newRequest()
  const discarded = discardRest(request, { bytes: 10, ms: never })
  request.write('x'.repeat(11))
  await discarded
  expect(request.readableEnded).toBe(false)
})

test('ends after the time, however slowly the body comes', async () => {
  const request = newRequest()
  await discardRest(request, { bytes: 10, ms: 1 })
  expect(request.readableEnded).toBe(false)
})
