// Hostile MCP servers: endless lists, floods of messages, questions that it does not read the answers to, huge and
// nested values, streams that never end. Each is closed with a reason, and what it costs is counted.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { providerToolNames } from '../../src/models/provider/request/tool-names.ts'
import { McpBench, stub } from '../support/mcp.ts'
import { Occurrences } from '../support/occurrences.ts'

const hostile = (kind = 'plain') => ({
  command: process.execPath,
  args: [join(import.meta.dirname, '../support/mcp-hostile.mjs'), kind],
})

let bench: McpBench
afterEach(() => bench?.servers.stop())

/** A hostile server beside one that is well. */
function start(kind?: string, options?: ConstructorParameters<typeof McpBench>[1]): McpBench {
  bench = new McpBench({ bad: hostile(kind), good: stub() }, options)
  return bench
}

const connected = () => bench.connected(2)
const listsRead = () =>
  bench.logged('MCP server stderr').filter(({ stderr }) => /^lists \d+$/.test(String(stderr))).length
const reasonOfBad = async () => {
  const line = await bench.logs('MCP server not connected')
  expect(line).toMatchObject({ mcpServer: 'bad' })
  return line.reason
}

/** The other server answers. */
const expectNeighbour = async () =>
  expect(await bench.ask('good.params', { a: 1 })).toMatchObject({ arguments: { a: 1 } })

describe('a list of tools', () => {
  test('that never ends is read up to 500 pages', async () => {
    start('endless')
    await connected()
    expect(bench.names).toContain('bad.counts')
    expect(await bench.ask('bad.counts')).toMatchObject({ lists: 500 })
  })

  test('whose pages come slowly has one time limit for all of them', async () => {
    start('slow', { responseTimeoutMs: 1_000 })
    expect(await reasonOfBad()).toBe('it did not respond in time')
    expect(listsRead()).toBeLessThanOrEqual(11)
    await expectNeighbour()
  })

  test('whose definitions are large is read up to 4 MiB', async () => {
    start('large')
    expect(await reasonOfBad()).toMatch(/^its list of tools has more than 4194304 bytes/)
    expect(listsRead()).toBe(6)
    await expectNeighbour()
  })

  test('with a large schema is used without that tool, and the operator is told', async () => {
    start('schema')
    await connected()
    expect(bench.names).not.toContain('bad.big')
    expect(bench.names).toContain('bad.counts')
    const warnings = bench.logged('MCP server does not match its config').flatMap((line) => line.warnings)
    expect(warnings).toContain('Tools whose input schema is too large or too deep are ignored: "big".')
  })

  test('with a schema that nests 20,000 levels is refused', async () => {
    start('nested')
    expect(await reasonOfBad()).toBe('it returned an error: The MCP server sent a value that nests too deeply.')
    await expectNeighbour()
  })

  test('with two tools of one name has the first', async () => {
    start('twins')
    await connected()
    expect(bench.offer('bad.counts')?.description).toBe('Does counts.')
  })

  test('that is announced as changed 5,000 times is read once more', async () => {
    start()
    await connected()
    await bench.ask('bad.change')
    await bench.logs('MCP server stderr', 3)
    expect(await bench.ask('bad.counts')).toMatchObject({ lists: 2 })
  })
})

describe('messages that were not asked for', () => {
  test('without end close the connection, with a reason', async () => {
    start()
    await connected()
    expect(await bench.call('bad.flood')).toEqual({
      outcome: 'failed',
      message: 'The MCP server "bad" disconnected during the call (it sent too many messages).',
    })
    await expectNeighbour()
    await bench.connected(3)
  })

  test('that are questions, whose answers it does not read, close it, too', async () => {
    start()
    await connected()
    expect(await bench.call('bad.ask')).toMatchObject({
      outcome: 'failed',
      message: expect.stringMatching(/\(it (?:asks more than it reads|sent too many messages)\)/),
    })
    await expectNeighbour()
  })

  test('and ask for a model, a password or folders are refused; a ping is answered', async () => {
    start()
    await connected()
    const { answers } = await bench.ask<{ answers: { id: string; error?: { code: number } }[] }>('bad.questions')
    const codes = answers.map(({ id, error }) => [id, error?.code]).toSorted()
    expect(codes).toEqual([
      ['q1', -32_601],
      ['q2', -32_601],
      ['q3', -32_601],
      ['q4', undefined],
    ])
  })

  test('of 5,000 steps of progress do not disturb a call', async () => {
    start()
    await connected()
    expect(await bench.call('bad.progress')).toEqual({ outcome: 'succeeded', output: 'done' })
  })

  test('with the ids of other calls are not taken for answers', async () => {
    start()
    await connected()
    expect(await bench.call('bad.wrong_ids')).toEqual({ outcome: 'succeeded', output: 'its own' })
    await expectNeighbour()
  })
})

describe('a result', () => {
  test('of 11 MiB closes the connection', async () => {
    start()
    await connected()
    expect(await bench.call('bad.huge')).toMatchObject({ outcome: 'failed' })
    await bench.connected(3)
  })

  test('that nests 20,000 levels fails its call, and the connection stays', async () => {
    start()
    await connected()
    const message = 'The MCP server sent a value that nests too deeply.'
    expect(await bench.call('bad.deep')).toEqual({ outcome: 'failed', message })
    expect(await bench.ask('bad.counts')).toMatchObject({ lists: 1 })
  })
})

describe('over HTTP', () => {
  let server: Server
  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })

  type Handle = (response: ServerResponse, request: IncomingMessage) => void

  /** A server with one tool. What it sends is counted, and it stops when the service hangs up. */
  async function serve({ onCall, onGet }: { readonly onCall?: Handle; readonly onGet?: Handle }): Promise<void> {
    server = createServer(async (request, response) => {
      if (request.method === 'GET') return (onGet ?? ((answer) => void answer.writeHead(405).end()))(response, request)
      if (request.method !== 'POST') return void response.writeHead(405).end()
      const { id, method } = JSON.parse(await text(request))
      if (id === undefined) return void response.writeHead(202).end()
      if (method === 'tools/call' && onCall) return onCall(response, request)
      const serverInfo = { name: 'one', version: '1' }
      const results: Record<string, object> = {
        initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo },
        'tools/list': { tools: [{ name: 'tool', inputSchema: { type: 'object' } }] },
        'tools/call': { content: [{ type: 'text', text: 'well' }] },
      }
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'one' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
    bench = new McpBench({ bad: { url }, good: stub() })
    await connected()
  }

  /** Sends until the connection is closed, and counts. */
  function pour(response: ServerResponse, piece: string): { bytes: number } {
    const sent = { bytes: 0 }
    const more = () => {
      while (response.writable && !response.destroyed) {
        sent.bytes += piece.length
        if (!response.write(piece)) return void response.once('drain', more)
      }
    }
    response.on('error', () => undefined)
    more()
    return sent
  }

  const piece16k = 'x'.repeat(16 * 1024)
  const mebibyte = 1024 * 1024
  const sse = { 'content-type': 'text/event-stream' }
  test.each<[string, number, Record<string, string>, string]>([
    ['a result', 200, { 'content-type': 'application/json' }, piece16k],
    ['an error', 500, {}, piece16k],
    ['an error about the session', 400, {}, piece16k],
    ['a result in small pieces', 200, { 'content-type': 'application/json' }, 'x'.repeat(1024)],
    ['a line of a stream', 200, sse, piece16k],
    ['a message of many lines', 200, sse, `data: ${piece16k}\n`],
    ['comments', 200, sse, `:${piece16k}\n`],
  ])(
    '%s without end closes the connection after 10 MiB and what the buffers of the system hold',
    async (_, status, headers, piece) => {
      let sent = { bytes: 0 }
      await serve({
        onCall: (response) => {
          sent = pour(response.writeHead(status, headers), piece)
        },
      })
      expect(await bench.call('bad.tool')).toMatchObject({
        outcome: 'failed',
        message: 'The MCP server "bad" disconnected during the call (its response was too large).',
      })
      // Linux lets the buffer of a connection that is read slowly grow to 32 MiB and more.
      expect(sent.bytes).toBeLessThan(100 * mebibyte)
      await expectNeighbour()
    },
  )

  test('a server that closes its stream and asks to reconnect at once is asked every half second', async () => {
    const reconnects = new Occurrences<number>()
    const onGet: Handle = (response) => {
      reconnects.add(performance.now())
      response.writeHead(200, sse).end('retry: 0\nid: 1\ndata: {}\n\n')
    }
    await serve({ onGet })
    await reconnects.nth(4, () => true)
    const pauses = reconnects.all.slice(1).map((at, n) => at - (reconnects.all[n] ?? 0))
    expect(Math.min(...pauses)).toBeGreaterThan(400)
  })

  test('questions without end do not open connections without end', async () => {
    let open = 0
    let most = 0
    await serve({
      onCall: (response) => {
        let id = 0
        response.writeHead(200, sse)
        const more = () => {
          while (response.writable && !response.destroyed) {
            id += 1
            const ping = JSON.stringify({ jsonrpc: '2.0', id: `ask-${id}`, method: 'ping' })
            if (!response.write(`data: ${ping}\n\n`)) return void response.once('drain', more)
          }
        }
        response.on('error', () => undefined)
        server.removeAllListeners('request').on('request', () => undefined)
        more()
      },
    })
    server.on('connection', (socket) => {
      open += 1
      most = Math.max(most, open)
      socket.on('close', () => {
        open -= 1
      })
    })
    expect(await bench.call('bad.tool')).toMatchObject({ outcome: 'failed' })
    expect(most).toBeLessThan(150)
    await expectNeighbour()
  })
})

test('no tool can take the name that a model knows another one by', () => {
  // Two servers whose names and tools make the same name force the second one to have a hash, which can be computed.
  const forced = providerToolNames({
    messages: [],
    tools: ['a.b__c', 'a__b.c'].map((name) => ({ name, description: '', inputSchema: {} })),
  }).toProvider('a__b.c')
  const impostor = `a.${forced.slice('a__'.length)}`
  const names = ['a.b__c', 'a__b.c', impostor]
  const { toProvider, fromProvider } = providerToolNames({
    messages: [],
    tools: names.map((name) => ({ name, description: '', inputSchema: {} })),
  })
  expect(new Set(names.map(toProvider)).size).toBe(3)
  expect(names.map((name) => fromProvider(toProvider(name)))).toEqual(names)
})
