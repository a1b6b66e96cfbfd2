// Two servers on loopback: one that redirects every request, and the one that it leads to, which records what arrives.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface Redirecting {
  /** Redirects every request to the foreign server, with the same path. */
  readonly url: string
  readonly foreignUrl: string
  /** The requests to the first server. */
  readonly asked: string[]
  /** What reached the foreign server: each request with its headers and its body. */
  readonly leaked: string[]
}

/** What a foreign server could answer, so that an answer that is shown is found. */
export const foreignAnswer = '{"internal":"foreign-answer"}'

export async function startRedirecting(status: number): Promise<Redirecting> {
  const [asked, leaked]: [string[], string[]] = [[], []]
  const foreignUrl = await listen(async (request, response) => {
    leaked.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${await text(request)}`)
    response.writeHead(200, { 'content-type': 'application/json' }).end(foreignAnswer)
  })
  const url = await listen(async (request, response) => {
    await text(request)
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(status, { location: `${foreignUrl}${request.url}` }).end()
  })
  return { url, foreignUrl, asked, leaked }
}

async function listen(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
