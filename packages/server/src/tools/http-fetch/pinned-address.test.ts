// DNS rebinding: a name that changes its address between the check and the connection. The sockets here record where
// they would connect to and refuse, so no address is ever contacted.
import type { LookupAddress } from 'node:dns'
import { type LookupFunction, Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { toolContext } from '../../../test/support/tool-context.ts'
import { createHttpFetch } from './http-fetch.ts'

interface Connecting {
  readonly host: string
  readonly lookup?: LookupFunction
}

const checked = ['93.184.215.14', '2606:2800:21f:cb07::1']

afterEach(() => vi.restoreAllMocks())

/**
 * The addresses of every connection that is tried, or `the system decides` if the socket would look the name up itself.
 */
function recordConnections(): unknown[] {
  const tried: unknown[] = []
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
    const { host, lookup } = args.flat()[0] as Connecting
    const keep = (_error: unknown, found: string | LookupAddress[]) => tried.push({ host, found })
    if (lookup) lookup(host, { all: true }, keep as Parameters<LookupFunction>[2])
    else tried.push({ host, found: 'the system decides' })
    return this.destroy(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))
  })
  return tried
}

test.each(['http', 'https'])('a connection by %s goes to the addresses that were checked', async (scheme) => {
  const tried = recordConnections()
  const answers = [checked, ['127.0.0.1']]
  const resolve = vi.fn(async () => answers.shift() ?? [])
  const tool = createHttpFetch({ resolve })
  const fetching = tool.run({ url: `${scheme}://turning.example/` }, toolContext())
  await expect(fetching).rejects.toThrow(/turning\.example/)
  expect(resolve).toHaveBeenCalledOnce()
  const found = checked.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  expect(tried).toEqual([{ host: 'turning.example', found }])
})
