// The look right before a call leaves the process, through the SDK and over both transports: a call that is refused
// there does not reach the server.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { McpBench, stub } from '../../../test/support/mcp.ts'
import { Shop } from '../../../test/support/shop.ts'
import { NotSent } from '../port/tool.ts'
import { lookFor, withLook } from './send-look.ts'

const shop = new Shop()
let bench: McpBench
beforeAll(async () => {
  await shop.open()
  bench = new McpBench(shop.mcpServers())
  await bench.connected(2)
})
afterAll(async () => {
  await bench.servers.stop()
  shop.close()
})

const refuse = () => {
  throw new NotSent()
}

describe.each(['shop', 'desk'])('a call of %s', (server) => {
  test('is looked at, and its idempotency key arrives', async () => {
    let looks = 0
    const beforeSend = () => {
      looks += 1
    }
    const invoice = `${server}-1`
    const result = await bench.call(`${server}.pay`, { invoice }, { beforeSend, idempotencyKey: 'the key' })
    expect(result).toEqual({ outcome: 'succeeded', output: 'paid' })
    expect(looks).toBeGreaterThanOrEqual(1)
    expect(shop.paymentsOf(invoice)).toMatchObject([{ key: 'the key' }])
  })

  test('that is refused does not arrive, and the connection stays open', async () => {
    const invoice = `${server}-2`
    expect(await bench.call(`${server}.pay`, { invoice }, { beforeSend: refuse })).toEqual({ outcome: 'not_sent' })
    expect(await bench.call(`${server}.pay`, { invoice: 'next' })).toMatchObject({ outcome: 'succeeded' })
    expect(shop.paymentsOf(invoice)).toEqual([])
  })
})

test('a call is not left in the pipe of a program that does not read: the look comes when it can be written', async () => {
  const own = new McpBench({ stub: stub() })
  await own.connected()
  const { pids } = await own.ask<{ pids: number[] }>('stub.pids')
  process.kill(pids[0] as number, 'SIGSTOP')
  const large = own.call('stub.params', { text: 'x'.repeat(500_000) })
  let isAllowed = true
  const small = own.call('stub.params', { n: 2 }, { beforeSend: () => (isAllowed ? undefined : refuse()) })
  await new Promise((resolve) => setImmediate(resolve))
  isAllowed = false
  process.kill(pids[0] as number, 'SIGCONT')
  expect(await large).toMatchObject({ outcome: 'succeeded' })
  expect(await small).toEqual({ outcome: 'not_sent' })
  await own.servers.stop()
})

test('only messages that call a tool need a look, and those must have one', () => {
  const message = { jsonrpc: '2.0' as const, id: 1, method: 'tools/call' }
  expect(lookFor({ ...message, method: 'tools/list' })).toBeUndefined()
  expect(() => lookFor(message)).toThrow('without a look')
  withLook(refuse, () => expect(lookFor([message])).toBe(refuse))
})
