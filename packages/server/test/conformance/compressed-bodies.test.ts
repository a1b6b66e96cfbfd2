// Requests with a compressed body: read up to the same limits, and refused by name.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { type CreatedRun, maxBodyBytes } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Caller, emptyRun, expectRefusal, jsonType } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
})
afterAll(() => service.stop())

const gzip = { 'content-encoding': 'gzip' }
const textOf = (body: object) => Buffer.from(JSON.stringify(body))
const sized = (bytes: number) => {
  const empty = textOf({ ...emptyRun, input: { pad: '' } }).length
  return textOf({ ...emptyRun, input: { pad: 'x'.repeat(bytes - empty) } })
}

describe('a gzip body', () => {
  test.each(['gzip', 'GZIP', 'x-gzip', ' gzip '])('is read with Content-Encoding: %s', async (encoding) => {
    const reply = await acme.create(gzipSync(textOf({ ...emptyRun, workspace_id: 'ü' })), {
      'content-encoding': encoding,
    })
    expect(reply.status, reply.text).toBe(201)
    expect(reply.json<CreatedRun>().workspace_id).toBe('ü')
  })

  test('is the same request as the plain one', async () => {
    const key = { 'idempotency-key': 'compressed' }
    const first = await acme.create({ ...emptyRun, input: { n: 1 } }, key)
    const second = await acme.create(gzipSync(textOf({ ...emptyRun, input: { n: 1 } })), { ...key, ...gzip })
    expect([second.status, second.json<CreatedRun>().id]).toEqual([200, first.json<CreatedRun>().id])
  })

  test('is read on other routes, too', async () => {
    const body = gzipSync(textOf({ period: 'day', tokens: 7 }))
    const headers = { ...jsonType, ...gzip }
    const reply = await acme.send({ method: 'PUT', path: '/v1/budgets/customer', body, headers })
    expect(reply.json()).toMatchObject({ budget: { tokens: 7 } })
  })

  test('has the limit of a plain one when it is inflated', async () => {
    // Over the limit for input and metadata, which is checked after the body was read.
    expectRefusal(await acme.create(gzipSync(sized(maxBodyBytes)), gzip), 400, 'INPUT_PAYLOAD_TOO_LARGE')
    const most = (await acme.create(gzipSync(sized(maxBodyBytes)), gzip)).json<{ message: string }>().message
    const more = (await acme.create(gzipSync(sized(maxBodyBytes + 1)), gzip)).json<{ message: string }>().message
    expect(most).not.toContain('The body is larger')
    expect(more).toContain(`The body is larger than ${maxBodyBytes} bytes`)
  })

  test('that would inflate to a gigabyte is refused after the first megabytes', async () => {
    const megabyte = gzipSync(Buffer.alloc(1024 * 1024, 'x'))
    const bomb = Buffer.concat(Array.from({ length: 1024 }, () => megabyte))
    expect(bomb.length).toBeLessThan(maxBodyBytes)
    const before = process.cpuUsage()
    expectRefusal(await acme.create(bomb, gzip), 400, 'INPUT_PAYLOAD_TOO_LARGE')
    const { user, system } = process.cpuUsage(before)
    const inflated = process.cpuUsage()
    await acme.create(gzipSync(sized(maxBodyBytes)), gzip)
    const whole = process.cpuUsage(inflated)
    // To inflate all of it would take 256 times as long as to inflate the limit.
    expect(user + system).toBeLessThan(20 * (whole.user + whole.system) + 200_000)
  })

  test('that inflates to nothing has a limit, too', async () => {
    const nothing = gzipSync(Buffer.alloc(0))
    const body = Buffer.concat(Array.from({ length: Math.ceil(maxBodyBytes / nothing.length) + 1 }, () => nothing))
    const reply = await acme.create(body, { ...gzip, 'transfer-encoding': 'chunked', 'content-length': undefined })
    expectRefusal(reply, 400, 'INPUT_PAYLOAD_TOO_LARGE')
  })

  test.each([
    ['is not gzip', textOf(emptyRun)],
    ['is cut off', gzipSync(textOf(emptyRun)).subarray(0, -6)],
    ['is broken', Buffer.concat([gzipSync(textOf(emptyRun)).subarray(0, 12), Buffer.alloc(20, 255)])],
  ])('that %s is refused', async (_case, body) => {
    const reply = await acme.create(body, gzip)
    expectRefusal(reply, 400, 'INPUT_PAYLOAD_INVALID')
    expect(reply.json<{ message: string }>().message).toBe('The body is not valid gzip.')
  })

  test('that holds no JSON or no UTF-8 is refused as a plain one', async () => {
    expectRefusal(await acme.create(gzipSync(Buffer.from('{')), gzip), 400, 'INPUT_PAYLOAD_INVALID')
    const reply = await acme.create(gzipSync(Buffer.from([0x22, 0xff, 0x22])), gzip)
    expect(reply.json<{ message: string }>().message).toBe('The body is not valid UTF-8.')
  })
})

test('identity is the plain body', async () => {
  expect((await acme.create(emptyRun, { 'content-encoding': 'identity' })).status).toBe(201)
})

test.each([
  ['br', brotliCompressSync(textOf(emptyRun))],
  ['deflate', deflateSync(textOf(emptyRun))],
  ['gzip, gzip', gzipSync(gzipSync(textOf(emptyRun)))],
  ['nonsense', textOf(emptyRun)],
])('Content-Encoding: %s is refused by name', async (encoding, body) => {
  const reply = await acme.create(body, { 'content-encoding': encoding })
  expectRefusal(reply, 400, 'CONTENT_ENCODING_UNSUPPORTED')
  expect(reply.json<{ message: string }>().message).toContain(`"${encoding}"`)
})
