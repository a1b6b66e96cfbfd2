// The operator who looks at the shop sees each call that has reached it, however busy the shop is.
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { blockLoop } from '../../support/busy-loop.ts'
import { ShopServer } from './shop-server.ts'

let shop: ShopServer
beforeEach(async () => {
  shop = await new ShopServer(1).open()
})
afterEach(() => shop.close())

/** A caller that sends all of its call, and goes away before the shop has read it. */
async function callAndLeave(key: string): Promise<void> {
  const { hostname, port } = new URL(shop.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const body = JSON.stringify({ name: 'credit', order: key, cents: 1 })
  const head = `POST / HTTP/1.1\r\nhost: shop\r\nidempotency-key: ${key}\r\ncontent-length: ${body.length}`
  socket.end(`${head}\r\n\r\n${body}`)
}

test('a call is seen that was sent while the shop had no time to read it', async () => {
  const keys = Array.from({ length: 50 }, (_, n) => `k${n}`)
  await Promise.all(keys.map(callAndLeave))
  blockLoop(100)
  expect(shop.effects).toEqual([])
  const seen = await Promise.all(keys.map((key) => shop.look(key)))
  expect(seen.map((effect) => effect?.key)).toEqual(keys)
})

test('a call that never came is not seen', async () => {
  expect(await shop.look('k1')).toBeUndefined()
})
