// The page of the guide about web applications, in a real browser. The server behind it plays the guide's routes.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readGuide } from '../guides/guide-blocks.ts'
import { launchBrowser, Visitor } from './visitor.ts'

const guide = readFileSync(join(import.meta.dirname, '../../../../docs/guides/web-app.md'), 'utf8')
const fileOf = (path: string): string => {
  const found = readGuide(guide).find((block) => block.kind === 'file' && block.path === path)
  if (!found) throw new Error(`the guide has no file ${path}`)
  return found.text
}

const frame = (id: number, data: object): string => `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`
const posted: { readonly url: string | undefined; readonly cookie: string | undefined; readonly body: unknown }[] = []
let stream: ServerResponse | undefined

const pages: Readonly<Record<string, readonly [type: string, path: string]>> = {
  '/': ['text/html', 'public/index.html'],
  '/page.js': ['text/javascript', 'public/page.js'],
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [type, path] = pages[request.url ?? ''] ?? []
  if (type && path) return void response.setHeader('content-type', type).end(fileOf(path))
  if (request.method === 'POST') {
    posted.push({ url: request.url, cookie: request.headers.cookie, body: JSON.parse(await text(request)) })
    if (request.url === '/api/replies') return void response.writeHead(201).end('{"id":"run_1"}')
    response.writeHead(204).end()
    return void stream?.write(frame(5, { type: 'end' }))
  }
  if (request.url !== '/api/replies/run_1/events') return void response.writeHead(404).end()
  stream = response.setHeader('content-type', 'text/event-stream')
  stream.write(frame(2, { type: 'text', text: 'We send ' }) + frame(3, { type: 'text', text: '<b>a new one</b>.' }))
  stream.write(frame(4, { type: 'question', seq: 4, prompt: 'Send this reply?' }))
}

let server: Server
let browser: Browser
beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  ;[browser] = await Promise.all([launchBrowser(), once(server, 'listening')])
})
afterAll(async () => {
  await browser.close()
  server.closeAllConnections()
  server.close()
})

test('the page shows the reply as text, asks, and sends the answer to what it has shown', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const context = await browser.newContext()
  const visitor = new Visitor(await context.newPage(), url)
  await visitor.page.goto(url)
  await visitor.hasNoAxeFindings()
  await visitor.press('Write')
  await visitor.sees('We send <b>a new one</b>.')
  await visitor.sees('Send this reply?')
  await visitor.press('Yes')
  await visitor.page.getByText('Send this reply?').waitFor({ state: 'hidden' })
  expect(posted).toEqual([
    { url: '/api/replies', cookie: 'user=ada', body: { ticket: 'My lamp arrived broken.' } },
    { url: '/api/replies/run_1/answer', cookie: 'user=ada', body: { action: 'approve', seq: 4 } },
  ])
  await visitor.leave()
})
