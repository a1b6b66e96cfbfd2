// A web without a network: every name has a public address, and every connection ends at one server on loopback.
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { buildConnector } from 'undici'
import type { Network } from '../../src/tools/http-fetch/exchange.ts'
import { createFetchFile, type FetchFile } from '../../src/tools/http-fetch/fetch-file.ts'
import { createHttpFetch } from '../../src/tools/http-fetch/http-fetch.ts'
import type { Tool } from '../../src/tools/port/tool.ts'

export interface SeenRequest {
  readonly line: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface PretendWeb {
  /** `http_fetch` as it is, but for where its connections end. */
  readonly tool: Tool
  readonly network: Network
  /** Where the one server listens. */
  readonly port: number
  /** How attachments are fetched, with the same exception. */
  readonly fetchFile: FetchFile
  /** What names resolve to, other than a public address; one entry per look-up, the last one stays. */
  readonly names: Map<string, (readonly string[])[]>
  /** The path decides; what is not here is answered by its own path as text. */
  readonly pages: Map<string, RequestListener>
  readonly lookedUp: string[]
  readonly dialled: (readonly string[])[]
  readonly requests: SeenRequest[]
  forget(): void
  stop(): Promise<void>
}

export const publicAddress = '93.184.215.14'

export async function startPretendWeb(): Promise<PretendWeb> {
  const [names, pages] = [new Map<string, (readonly string[])[]>(), new Map<string, RequestListener>()]
  const [lookedUp, dialled, requests] = [[] as string[], [] as (readonly string[])[], [] as SeenRequest[]]
  const server = createServer(async (request, response) => {
    const { method, url = '', headers } = request
    requests.push({ line: `${method} ${headers.host}${url}`, headers, body: await text(request) })
    const page = pages.get(url) ?? ((_, answer) => answer.setHeader('content-type', 'text/plain').end(url))
    page(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const network: Network = {
    resolve: async (name) => {
      lookedUp.push(name)
      const answers = names.get(name) ?? [[publicAddress]]
      return (answers.length > 1 ? answers.shift() : answers[0]) ?? []
    },
    dial: (addresses) => {
      dialled.push(addresses)
      return dialLoopback((server.address() as AddressInfo).port)
    },
  }
  const forget = () => {
    for (const list of [lookedUp, dialled, requests]) list.length = 0
    for (const map of [names, pages]) map.clear()
  }
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const tool = createHttpFetch(network) as Tool
  const fetchFile = createFetchFile(network)
  const { port } = server.address() as AddressInfo
  return { tool, network, port, fetchFile, names, pages, lookedUp, dialled, requests, forget, stop }
}

/** Without encryption, also when the URL says https. */
export function dialLoopback(port: number): buildConnector.connector {
  const connect = buildConnector({})
  return (options, callback) =>
    connect({ ...options, protocol: 'http:', hostname: '127.0.0.1', port: `${port}` }, callback)
}

/** A page of this type. */
export const page =
  (contentType: string, body: string | Buffer, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': contentType, ...headers }).end(body)

export const redirect =
  (status: number, location: string): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { location }).end('moved')
