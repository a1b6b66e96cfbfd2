// A client of the service for one command.
import { Runwright } from '@runwright/client'
import type { Io } from '../output/io.ts'
import { findTarget, type Target } from './target.ts'

export interface Connection extends Target {
  /** Gives up soon, so that a person learns quickly that there is no service. */
  readonly client: Runwright
  /** Keeps trying: for a run that is being followed, a restart of the service is only a delay. */
  readonly patient: Runwright
}

interface ConnectOptions {
  readonly url?: string | undefined
  /** Called when a request of the patient client gets no response, and when one does. */
  readonly onReach?: (isReached: boolean) => void
}

export function connect({ env }: Pick<Io, 'env'>, { url, onReach = () => undefined }: ConnectOptions = {}): Connection {
  const target = findTarget(env, url)
  const options = { baseUrl: target.url, apiKey: target.apiKey, initialRetryDelayMs: 250 }
  return {
    ...target,
    client: new Runwright({ ...options, maxRetries: 2 }),
    patient: new Runwright({
      ...options,
      maxRetries: Number.MAX_SAFE_INTEGER,
      maxRetryDelayMs: 3_000,
      fetch: observed(onReach),
    }),
  }
}

const observed =
  (onReach: (isReached: boolean) => void): typeof fetch =>
  async (input, init) => {
    try {
      const response = await fetch(input, init)
      onReach(response.status < 500)
      return response
    } catch (error) {
      if (!init?.signal?.aborted) onReach(false)
      throw error
    }
  }
