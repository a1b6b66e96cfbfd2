import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { deadUrl, type HttpServer, McpBench, startEverythingOverHttp } from '../../../test/support/mcp.ts'

let bench: McpBench
const servers: HttpServer[] = []
afterEach(async () => {
  await bench.servers.stop()
  await Promise.all(servers.splice(0).map((server) => server.kill()))
})

const start = async (port?: number) => {
  const server = await startEverythingOverHttp(port)
  servers.push(server)
  return server
}

describe('the tools of a real server', () => {
  test('are listed and called', async () => {
    const { url } = await start()
    bench = new McpBench({ web: { url, timeout_seconds: 1 } })
    await bench.connected()
    expect(bench.names).toEqual(expect.arrayContaining(['web.echo', 'web.get-sum']))
    expect(await bench.call('web.echo', { message: 'hello' })).toEqual({ outcome: 'succeeded', output: 'Echo: hello' })
    const weather = await bench.call('web.get-structured-content', { location: 'Chicago' })
    expect(weather).toMatchObject({ outcome: 'succeeded', output: { temperature: 36 } })
    const refused = await bench.call('web.get-sum', {})
    expect(refused).toEqual({ outcome: 'failed', message: expect.stringMatching(/expected number/i) })
    const long = await bench.call('web.trigger-long-running-operation', { duration: 60, steps: 1 })
    expect(long).toMatchObject({ outcome: 'timeout' })
  })

  test('end when the run aborts them, and the connection stays open', async () => {
    const { url } = await start()
    bench = new McpBench({ web: { url } })
    await bench.connected()
    const abort = new AbortController()
    const call = bench.call('web.trigger-long-running-operation', { duration: 60, steps: 1 }, { signal: abort.signal })
    await bench.ask('web.echo', { message: 'one' })
    abort.abort()
    expect(await call).toEqual({ outcome: 'aborted' })
    expect(await bench.ask('web.echo', { message: 'two' })).toBe('Echo: two')
    expect(bench.logged('MCP server not connected')).toEqual([])
  })
})

describe('a real server that dies', () => {
  test('fails the call that is under way, and works again once it is back', async () => {
    const first = await start()
    bench = new McpBench({ web: { url: first.url } })
    await bench.connected()
    const call = bench.call('web.trigger-long-running-operation', { duration: 60, steps: 1 })
    await bench.ask('web.echo', { message: 'one' })
    await first.kill()
    expect(await call).toEqual({
      outcome: 'failed',
      message: 'The MCP server "web" disconnected during the call (it cannot be reached: ECONNREFUSED).',
    })
    await start(first.port)
    await bench.connected(2)
    expect(await bench.ask('web.echo', { message: 'two' })).toBe('Echo: two')
  })

  test('and is back at once without its sessions is reconnected', async () => {
    const first = await start()
    bench = new McpBench({ web: { url: first.url } })
    await bench.connected()
    await first.kill()
    await start(first.port)
    await bench.connected(2)
    expect(await bench.ask('web.echo', { message: 'two' })).toBe('Echo: two')
  })
})

describe('a server of another kind', () => {
  let server: Server
  afterEach(() => void server?.close())

  const serve = async (listener: RequestListener): Promise<string> => {
    server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  }

  test('that is not running is reported', async () => {
    bench = new McpBench({ web: { url: await deadUrl() } })
    expect(await bench.away()).toMatchObject({ reason: 'it cannot be reached: ECONNREFUSED' })
  })

  test.each([401, 404, 500])('that responds with status %i is reported', async (status) => {
    bench = new McpBench({ web: { url: await serve((_, response) => response.writeHead(status).end('no')) } })
    expect(await bench.away()).toMatchObject({ reason: `it responded with status ${status}` })
  })

  test('that is not an MCP server is reported', async () => {
    const listener: RequestListener = (_, response) => response.setHeader('content-type', 'text/html').end('<p>Hello')
    bench = new McpBench({ web: { url: await serve(listener) } })
    expect(await bench.away()).toMatchObject({ reason: 'its response is not valid MCP' })
  })

  /** A server with one tool; the test decides how a call ends. */
  const oneTool =
    (call: (response: ServerResponse) => void): RequestListener =>
    async (request, response) => {
      if (request.method !== 'POST') return void response.writeHead(405).end()
      const { id, method } = JSON.parse(await text(request))
      if (id === undefined) return void response.writeHead(202).end()
      if (method === 'tools/call') return call(response)
      const serverInfo = { name: 'one', version: '1' }
      const results: Record<string, object> = {
        initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo },
        'tools/list': { tools: [{ name: 'tool', inputSchema: { type: 'object' } }] },
      }
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'one' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }))
    }

  const broken: [string, (response: ServerResponse) => void, string][] = [
    [
      'that ends a call without an answer',
      (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n'),
      'The MCP server ended the call without a response.',
    ],
    [
      'that breaks off in the middle of an answer',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"json')
        setImmediate(() => response.destroy())
      },
      'The MCP server ended the call without a response.',
    ],
    [
      'that has an error of its own',
      (response) => response.writeHead(500).end(),
      'The MCP server "web" responded with status 500.',
    ],
    [
      'that answers something else',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello'),
      'The MCP server "web" sent an invalid response.',
    ],
    [
      'that redirects to another server',
      (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/mcp' }).end(),
      'The MCP server "web" redirects the call, which is not followed.',
    ],
  ]
  test.each(broken)('%s fails the call at once', async (_, call, message) => {
    bench = new McpBench({ web: { url: await serve(oneTool(call)) } })
    await bench.connected()
    expect(await bench.call('web.tool')).toEqual({ outcome: 'failed', message })
    expect(bench.logged('MCP server not connected')).toEqual([])
  })

  test('that redirects within its origin is used, also if it leads browsers elsewhere', async () => {
    const answer = oneTool((response) => response.writeHead(500).end())
    const url = await serve((request, response) => {
      if (request.method === 'GET') return void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
      if (request.url === '/mcp') return void response.writeHead(307, { location: '/mcp/' }).end()
      return answer(request, response)
    })
    bench = new McpBench({ web: { url } })
    await bench.connected()
    expect(bench.names).toEqual(['web.tool'])
    expect(await bench.call('web.tool')).toMatchObject({ message: 'The MCP server "web" responded with status 500.' })
    expect(bench.logged('MCP server not connected')).toEqual([])
  })

  test('whose session expired is reconnected', async () => {
    bench = new McpBench({ web: { url: await serve(oneTool((response) => response.writeHead(404).end())) } })
    await bench.connected()
    const message = 'The MCP server "web" disconnected during the call (its session expired).'
    expect(await bench.call('web.tool')).toEqual({ outcome: 'failed', message })
    await bench.connected(2)
  })

  test('gets the headers of the config, filled from the environment', async () => {
    const seen: (string | undefined)[] = []
    const url = await serve((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(401).end()
    })
    const headers = { Authorization: `Bearer ${'$'}{TOKEN}` }
    bench = new McpBench({ web: { url, headers } }, { env: { TOKEN: 'abc' } })
    await bench.away()
    expect(seen[0]).toBe('Bearer abc')
  })
})
