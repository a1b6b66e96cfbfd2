// Reads from the routes below `/console`, which are not part of the API.
import { RunwrightError } from '@runwright/client'
import type { Target } from './target.ts'

const longestMs = 10_000

export async function readOwnRoute({ url, apiKey }: Pick<Target, 'url' | 'apiKey'>, path: string): Promise<unknown> {
  const response = await fetch(`${url}/console/${path}`, {
    headers: { authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.timeout(longestMs),
    redirect: 'error',
  }).catch((cause: unknown) => {
    throw new RunwrightError('There was no response.', { cause })
  })
  if (response.ok) return response.json()
  throw await errorOf(response)
}

interface Refused {
  readonly message?: string
  readonly reason_code?: string
  readonly request_id?: string
}

async function errorOf(response: Response): Promise<RunwrightError> {
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  const { message, reason_code, request_id } = (isJson ? await response.json() : {}) as Refused
  return new RunwrightError(message ?? `The service returned HTTP status ${response.status}`, {
    status: response.status,
    reasonCode: reason_code,
    requestId: request_id,
  })
}
