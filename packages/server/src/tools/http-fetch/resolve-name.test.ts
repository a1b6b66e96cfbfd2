import { createSocket, type Socket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { lookUp } from './resolve-name.ts'

const [typeA, typeAAAA] = [1, 28]
const [noSuchName, broken] = [3, 2]
type Answers = Readonly<Record<number, { readonly data?: readonly number[]; readonly code?: number }>>

let socket: Socket | undefined
afterEach(() => {
  socket?.close()
  socket = undefined
})

/** A DNS server with one response per query type; it ignores other queries. */
async function resolverFor(answers: Answers, onAsked = () => {}): Promise<Resolver> {
  const server = createSocket('udp4')
  server.on('message', (question, { port }) => {
    onAsked()
    const answer = answers[question.readUInt16BE(question.indexOf(0, 12) + 1)]
    if (answer) server.send(reply(question, answer), port, '127.0.0.1')
  })
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve))
  socket = server
  const resolver = new Resolver({ timeout: 1000, tries: 1 })
  resolver.setServers([`127.0.0.1:${server.address().port}`])
  return resolver
}

function reply(question: Buffer, { data, code = 0 }: Answers[number]): Buffer {
  const asked = question.subarray(12, question.indexOf(0, 12) + 5)
  const header = Buffer.from([question[0] ?? 0, question[1] ?? 0, 0x81, 0x80 | code, 0, 1, 0, data ? 1 : 0, 0, 0, 0, 0])
  const type = question.readUInt16BE(question.indexOf(0, 12) + 1)
  const record = data ? [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 9, 0, data.length, ...data] : []
  return Buffer.concat([header, asked, Buffer.from(record)])
}

const ipv4 = { data: [93, 184, 215, 14] }
const ipv6 = { data: [0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11] }
const open = () => new AbortController().signal

describe('a name has', () => {
  test.each([
    ['addresses of both families', ipv4, ipv6, ['93.184.215.14', '2606:4700::1111']],
    ['one of version 4 alone', ipv4, {}, ['93.184.215.14']],
    ['one of version 6 alone', {}, ipv6, ['2606:4700::1111']],
    ['one, although the other question breaks its server', ipv4, { code: broken }, ['93.184.215.14']],
    ['none', {}, {}, []],
    ['none, since it does not exist', { code: noSuchName }, { code: noSuchName }, []],
  ])('%s', async (_case, four, six, addresses) => {
    const resolver = await resolverFor({ [typeA]: four, [typeAAAA]: six })
    expect(await lookUp(resolver, 'shop.example', open())).toEqual(addresses)
  })
})

test('a failing server is not the same as a name without addresses', async () => {
  const resolver = await resolverFor({ [typeA]: { code: broken }, [typeAAAA]: {} })
  await expect(lookUp(resolver, 'shop.example', open())).rejects.toMatchObject({ code: 'ESERVFAIL' })
})

test('an abort ends a lookup without a response', async () => {
  const controller = new AbortController()
  const resolver = await resolverFor({}, () => controller.abort())
  await expect(lookUp(resolver, 'shop.example', controller.signal)).rejects.toMatchObject({ code: 'ECANCELLED' })
})

test('after an abort nothing is asked', async () => {
  const resolver = await resolverFor({ [typeA]: ipv4, [typeAAAA]: ipv6 })
  await expect(lookUp(resolver, 'shop.example', AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
})
