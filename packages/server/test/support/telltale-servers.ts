// Servers on loopback that repeat every header they get: a model provider that fails in many ways, and an MCP server
// over HTTP.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface TelltaleServer {
  readonly url: string
  stop(): Promise<void>
}

export async function listenOnLoopback(listener: RequestListener): Promise<TelltaleServer> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

const seen = ({ headers }: IncomingMessage): string => {
  const values = Object.values(headers).map(String)
  return JSON.stringify([headers, values.map(encodeURIComponent), values.map((value) => btoa(value))])
}

type Fail = (response: ServerResponse, said: string) => void

const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`

/** How the provider fails, by the word of the prompt. */
const failures: Readonly<Record<string, Fail>> = {
  refuses: (response, said) =>
    response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message: said } })),
  breaks: (response, said) =>
    response.writeHead(500, { 'content-type': 'text/html', 'x-debug': said.slice(0, 900) }).end(`<h1>${said}</h1>`),
  lies: (response, said) => response.writeHead(200, { 'content-type': 'application/json' }).end(said),
  stops: (response, said) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(event({ error: { message: said, type: 'server_error' } }))
    response.end()
  },
  cuts: (response, said) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: {"broken": ${said}`, () => response.destroy())
  },
  redirects: (response, said) =>
    response.writeHead(302, { location: `/v1/x?${encodeURIComponent(said).slice(0, 900)}` }).end(said),
}

export const providerFailures = Object.keys(failures)

export const startTelltaleProvider = (): Promise<TelltaleServer> =>
  listenOnLoopback(async (request, response) => {
    const body = await text(request)
    const word = providerFailures.find((name) => body.includes(`the provider ${name}`)) ?? 'refuses'
    failures[word]?.(response, `You sent ${seen(request)}`)
  })

/** `tell` answers with the headers, `fail` reports them as an error, `break` with status 500 and them as the body. */
export const startTelltaleMcp = (): Promise<TelltaleServer> =>
  listenOnLoopback(async (request, response) => {
    const said = `You sent ${seen(request)}`
    const send = (value: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', ...value }))
    if (request.method !== 'POST') return void response.writeHead(405).end(said)
    const { id, method, params } = JSON.parse(await text(request))
    if (id === undefined) return void response.writeHead(202).end()
    if (params?.name === 'break') return void response.writeHead(500).end(said)
    const results: Readonly<Record<string, object>> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'telltale', version: said },
      },
      'tools/list': {
        tools: ['tell', 'fail', 'break', 'err'].map((name) => ({
          name,
          description: said,
          inputSchema: { type: 'object' },
        })),
      },
    }
    const content = [{ type: 'text', text: said }]
    const called = { tell: { content, structuredContent: { said } }, fail: { content, isError: true } }
    const result = method === 'tools/call' ? called[params.name as keyof typeof called] : results[method]
    send(result ? { id, result } : { id, error: { code: -32_603, message: said, data: said } })
  })
