// A browser that is signed in to the console, as far as the service sees it: it keeps cookies and sends the headers
// that a browser and the console send.
import type { OutgoingHttpHeaders } from 'node:http'
import { expect } from 'vitest'
import { Caller, jsonType, type Reply } from './http.ts'

export interface SessionBody {
  readonly key_id: string
  readonly key_name: string | null
  readonly customer_id: string
  readonly scopes: readonly string[]
  readonly expires_at: string | null
}

export async function signIn(url: string, apiKey: string): Promise<BrowserSession> {
  const browser = new BrowserSession(url)
  const reply = await browser.signIn({ api_key: apiKey })
  expect(reply.status, reply.text).toBe(201)
  return browser
}

export const consoleHeaders = { 'x-runwright-console': '1', 'sec-fetch-site': 'same-origin' }

export class BrowserSession {
  readonly caller: Caller
  cookie: string | undefined

  constructor(url: string, cookie?: string) {
    this.caller = new Caller(url, null)
    this.cookie = cookie
  }

  async send(
    method: string,
    path: string,
    more: { body?: unknown; headers?: OutgoingHttpHeaders } = {},
  ): Promise<Reply> {
    const { body, headers } = more
    const reply = await this.caller.send({
      method,
      path,
      body,
      headers: {
        ...consoleHeaders,
        cookie: this.cookie,
        ...(body !== undefined && jsonType),
        ...headers,
      },
    })
    this.#keepCookies(reply.headers['set-cookie'] ?? [])
    return reply
  }

  get(path: string, headers: OutgoingHttpHeaders = {}): Promise<Reply> {
    return this.send('GET', path, { headers })
  }

  signIn(body: unknown, headers: OutgoingHttpHeaders = {}): Promise<Reply> {
    return this.send('POST', '/console/session', { body, headers })
  }

  who(headers: OutgoingHttpHeaders = {}): Promise<Reply> {
    return this.get('/console/session', headers)
  }

  signOut(headers: OutgoingHttpHeaders = {}): Promise<Reply> {
    return this.send('DELETE', '/console/session', { headers })
  }

  #keepCookies(cookies: readonly string[]): void {
    for (const cookie of cookies) {
      const [pair = ''] = cookie.split(';', 1)
      if (!/max-age=0$/i.test(cookie)) this.cookie = pair
      else if (this.cookie?.split('=')[0] === pair.split('=')[0]) this.cookie = undefined
    }
  }
}
