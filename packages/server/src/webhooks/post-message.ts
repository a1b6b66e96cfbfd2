// Sends one message to an endpoint. Redirects are not followed, and the body of the response is not read beyond a few
// bytes: only the status counts.
import type { Dispatcher } from 'undici'
import { linkSignals } from '../runtime/linked-signal.ts'
import { dial } from '../tools/http-fetch/dial.ts'
import { FetchError } from '../tools/http-fetch/fetch-error.ts'
import { type Network, withGuardedClient } from '../tools/http-fetch/guarded-client.ts'
import { resolveEndpoint } from '../tools/http-fetch/resolve-name.ts'
import type { TargetRules } from '../tools/http-fetch/target.ts'
import { ToolDenied } from '../tools/port/tool.ts'

export interface OutgoingMessage {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type PostResult =
  | { readonly status: number; readonly retryAfter: string | undefined }
  /** There was no response. */
  | { readonly error: string }

/** `signal` ends the attempt, and then it rejects. */
export type PostMessage = (message: OutgoingMessage, signal: AbortSignal) => Promise<PostResult>

interface PostOptions {
  readonly rules: TargetRules
  /** Tests replace parts of the network. */
  readonly network?: Partial<Network>
  readonly timeoutMs?: number
}

export const postTimeoutMs = 15_000
const maxResponseBytes = 16 * 1024

export function createPostMessage({ rules, network, timeoutMs = postTimeoutMs }: PostOptions): PostMessage {
  const used: Network = { resolve: resolveEndpoint, dial, ...network }
  return async (message, stopped) => {
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), timeoutMs)
    const { signal, release } = linkSignals(stopped, timeout.signal)
    try {
      return await post(message, { network: used, signal, rules, maxBytes: maxResponseBytes })
    } catch (error) {
      stopped.throwIfAborted()
      if (signal.aborted) return { error: `The endpoint did not answer within ${timeoutMs / 1000} seconds.` }
      if (error instanceof FetchError || error instanceof ToolDenied) return { error: error.message }
      throw error
    } finally {
      clearTimeout(timer)
      release()
    }
  }
}

interface Guard {
  readonly network: Network
  readonly signal: AbortSignal
  readonly rules: TargetRules
  readonly maxBytes: number
}

const post = ({ url: text, headers, body }: OutgoingMessage, guard: Guard): Promise<PostResult> => {
  const url = new URL(text)
  return withGuardedClient(url, guard, async (client) => {
    const response = await client.request({
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'runwright', ...headers },
      body,
      // Sends `connection: close`: the connection is used once.
      reset: true,
    })
    await discard(response.body)
    return { status: response.statusCode, retryAfter: [response.headers['retry-after']].flat()[0] }
  })
}

/** Reads the body, so that the endpoint can finish its response, but no more than a few bytes. */
async function discard(body: Dispatcher.ResponseData['body']): Promise<void> {
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxResponseBytes) return
  }
}
