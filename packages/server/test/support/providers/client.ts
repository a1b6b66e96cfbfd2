// A bare client for the tests of the mock itself: one POST, and what came back.
import type { MockProvider } from './mock-provider.ts'
import type { JsonObject } from './script.ts'

interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  json(): JsonObject
  /** The data of each server-sent event; what is not JSON stays text. */
  events(): JsonObject[]
}

export interface Post {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly signal?: AbortSignal
}

export async function post(provider: MockProvider, { path, headers, body, signal }: Post): Promise<Received> {
  const response = await fetch(`${provider.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: () => JSON.parse(text),
    events: () => readEvents(text),
  }
}

function readEvents(text: string): JsonObject[] {
  const data = text.split('\n').filter((line) => line.startsWith('data: '))
  return data
    .map((line) => line.slice('data: '.length))
    .filter((line) => line !== '[DONE]')
    .map((line) => JSON.parse(line))
}
