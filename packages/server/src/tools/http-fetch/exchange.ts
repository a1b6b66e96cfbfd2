// Sends one request over a connection of its own and reads the response.
import type { Dispatcher } from 'undici'
import { lookBeforeSend } from '../port/look-before-send.ts'
import { type GuardOptions, withGuardedClient } from './guarded-client.ts'
import { type OutgoingRequest, redirectRequest } from './outgoing-request.ts'
import { acceptedEncodings, maxResponseBytes, readBytes } from './read-bytes.ts'

export type { Network } from './guarded-client.ts'

export interface FetchedResponse {
  readonly url: URL
  readonly status: number
  readonly headers: Dispatcher.ResponseData['headers']
  /** Decompressed. */
  readonly bytes: Buffer
}

export interface ExchangeOptions extends Omit<GuardOptions, 'rules' | 'maxBytes'> {
  /** Called right before the request is written to its connection. Throws to keep it from being sent. */
  readonly beforeSend: () => void
  /** The largest body of a response. Default: that of the tool. */
  readonly maxBytes?: number | undefined
}

/**
 * Resolves with the response, or with the request to make next after a redirect. Throws `FetchError` or `ToolDenied`.
 */
export async function exchange(
  request: OutgoingRequest,
  options: ExchangeOptions,
): Promise<{ response: FetchedResponse } | { next: OutgoingRequest }> {
  const { maxBytes = maxResponseBytes } = options
  return withGuardedClient(request.url, { ...options, maxBytes }, async (client) =>
    readResponse(
      request,
      await client.compose(lookBeforeSend(options.beforeSend)).request(requestOptions(request)),
      maxBytes,
    ),
  )
}

const requestOptions = ({ url, method, headers, body }: OutgoingRequest): Dispatcher.RequestOptions => ({
  path: `${url.pathname}${url.search}`,
  method,
  headers: new Map([...headers, ['accept-encoding', acceptedEncodings]]),
  body: body ?? null,
  // Sends `connection: close`: the connection is used once.
  reset: true,
})

async function readResponse(request: OutgoingRequest, response: Dispatcher.ResponseData, maxBytes: number) {
  const { statusCode: status, headers, body } = response
  const next = redirectRequest(request, { status, location: [headers.location].flat()[0] })
  if (next) return { next }
  const encoding = [headers['content-encoding'] ?? []].flat().join()
  const bytes = await readBytes(body, { encoding, maxBytes })
  return { response: { url: request.url, status, headers, bytes } }
}
