// Names that change their address between the check and the connection, answered by a real DNS server on loopback. The
// sockets record where they would connect to and refuse, so no address is ever contacted. What holds: a connection
// goes to an address that was checked, every hop and every attempt is checked again, and one private address among many
// is enough to refuse a name.
import type { LookupAddress } from 'node:dns'
import { createServer } from 'node:https'
import { type AddressInfo, type LookupFunction, Socket } from 'node:net'
import { generate } from 'selfsigned'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { endpointRules } from '../../src/tools/http-fetch/endpoint-rules.ts'
import { createFetchFile } from '../../src/tools/http-fetch/fetch-file.ts'
import { createHttpFetch } from '../../src/tools/http-fetch/http-fetch.ts'
import { createPostMessage } from '../../src/webhooks/post-message.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { McpBench } from '../support/mcp.ts'
import { dialLoopback, type PretendWeb, publicAddress, redirect, startPretendWeb } from '../support/pretend-web.ts'
import { toolContext } from '../support/tool-context.ts'

let dns: DnsServer
beforeAll(async () => {
  dns = await startDnsServer()
})
beforeEach(() => {
  dns.asked.length = 0
})
afterEach(() => vi.restoreAllMocks())
afterAll(() => dns.stop())

interface Connecting {
  readonly host: string
  readonly lookup?: LookupFunction
}

/** The addresses of each connection that is tried. A socket that would look the name up itself shows the name. */
function refuseConnections(): string[][] {
  const tried: string[][] = []
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
    const { host, lookup } = args.flat()[0] as Connecting
    const keep = (_error: unknown, found: LookupAddress[]) => tried.push(found.map(({ address }) => address))
    if (lookup) lookup(host, { all: true }, keep as unknown as Parameters<LookupFunction>[2])
    else tried.push([host])
    return this.destroy(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))
  })
  return tried
}

const signal = () => new AbortController().signal
const outcomeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    (value) => JSON.stringify(value),
    (error: Error) => error.message,
  )

/** Everything that connects to a URL of a customer, a model or a page. */
const clients: Readonly<Record<string, (name: string) => Promise<string>>> = {
  'http_fetch over http': (name) =>
    outcomeOf(createHttpFetch({ resolve: dns.resolve }).run({ url: `http://${name}/` }, toolContext())),
  'http_fetch over https': (name) =>
    outcomeOf(createHttpFetch({ resolve: dns.resolve }).run({ url: `https://${name}/` }, toolContext())),
  'an attachment': (name) =>
    outcomeOf(createFetchFile({ resolve: dns.resolve })(`https://${name}/`, { signal: signal() })),
  'a webhook': (name) => {
    const post = createPostMessage({ rules: endpointRules('deny'), network: { resolve: dns.resolve } })
    return outcomeOf(post({ url: `https://${name}/`, headers: {}, body: '{}' }, signal()))
  },
}

describe.each(Object.entries(clients).map(([name, connectTo], n) => ({ name, connectTo, n })))(
  '$name',
  ({ connectTo, n }) => {
    test('goes to the address that was checked, although the name has another one by then', async () => {
      const tried = refuseConnections()
      dns.zone = (_name, nth) => (nth === 0 ? [publicAddress, '2606:2800:21f:cb07::1'] : ['127.0.0.1', '::1'])
      expect(await connectTo(`turning-${n}.example`)).toMatch(/refused the connection|could not be reached/)
      expect(tried).toEqual([[publicAddress, '2606:2800:21f:cb07::1']])
      expect(dns.asked).toEqual([`turning-${n}.example`])
    })

    test('checks the name again for the next request', async () => {
      const tried = refuseConnections()
      dns.zone = () => (tried.length === 0 ? [publicAddress] : ['10.0.0.1'])
      await connectTo('again.example')
      expect(await connectTo('again.example')).toMatch(/is not on the public Internet/)
      expect(tried).toEqual([[publicAddress]])
    })

    test.each([
      ['one private address among public ones', [publicAddress, '192.168.1.1']],
      ['a private one in the other family', [publicAddress, 'fd00::1']],
      ['the last of fifty', [...Array.from({ length: 49 }, (_, n) => `93.184.215.${n + 1}`), '169.254.169.254']],
      ['this host', ['127.0.0.1']],
      ['this host in version 6', ['::1']],
      ['this host, mapped', ['::ffff:127.0.0.1']],
      ['this host, through a translator', ['64:ff9b::7f00:1']],
      ['any host', ['0.0.0.0']],
      ['a shared address', ['100.64.0.1']],
      ['a group', ['224.0.0.1']],
    ])('refuses a name with %s, and connects nowhere', async (_name, addresses) => {
      const tried = refuseConnections()
      dns.zone = () => addresses
      expect(await connectTo('inside.example')).toMatch(/is not on the public Internet/)
      expect(tried).toEqual([])
    })

    test('fails for a name without an answer, and connects nowhere', async () => {
      const tried = refuseConnections()
      dns.zone = () => undefined
      expect(await connectTo('silent.example')).toMatch(/The DNS lookup of .* failed/)
      dns.zone = () => []
      expect(await connectTo('empty.example')).toMatch(/has no DNS address record/)
      expect(tried).toEqual([])
    })
  },
)

describe('after a redirect to the same name', () => {
  let web: PretendWeb
  beforeAll(async () => {
    web = await startPretendWeb()
  })
  afterAll(() => web.stop())

  test('its new address is checked, and not contacted', async () => {
    const dialled: (readonly string[])[] = []
    const network = {
      resolve: dns.resolve,
      dial: (addresses: readonly string[]) => {
        dialled.push(addresses)
        return dialLoopback(web.port)
      },
    }
    web.pages.set('/first', redirect(302, '/second'))
    dns.zone = (_name, nth) => (nth === 0 ? [publicAddress] : ['127.0.0.1'])
    const fetching = createHttpFetch(network).run({ url: 'http://hopping.example/first' }, toolContext())
    expect(await outcomeOf(fetching)).toMatch(/is not on the public Internet/)
    expect(dialled).toEqual([[publicAddress]])
    expect(web.requests.map(({ line }) => line)).toEqual(['GET hopping.example/first'])
  })
})

describe('an MCP server, which the operator names', () => {
  test('whose name leads to another host gets no request: its certificate is checked first', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'mcp.example' }], { keyType: 'ec' })
    let requests = 0
    const server = createServer({ key, cert }, () => {
      requests += 1
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
    const bench = new McpBench({ rebound: { url, headers: { authorization: 'Bearer t0k3n-t0k3n' } } })
    expect(await bench.away()).toMatchObject({ reason: expect.stringMatching(/^it cannot be reached: /) })
    expect(requests).toBe(0)
    await bench.servers.stop()
    server.close()
  })
})
