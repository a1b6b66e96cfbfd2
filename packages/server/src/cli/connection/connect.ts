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
  /** Called once, when the other client is told that the service is not available, and tries again. */
  readonly onUnavailable?: () => void
}

const nothing = () => undefined

export function connect(
  { env }: Pick<Io, 'env'>,
  { url, onReach = nothing, onUnavailable = nothing }: ConnectOptions = {},
): Connection {
  const target = findTarget(env, url)
  const options = { baseUrl: target.url, apiKey: target.apiKey, initialRetryDelayMs: 250 }
  return {
    ...target,
    client: new Runwright({ ...options, maxRetries: 2, fetch: untilUnavailable(onUnavailable) }),
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

/** A service without its database answers 503 after seconds, and each retry takes as long again. */
function untilUnavailable(onUnavailable: () => void): typeof fetch {
  let wasAvailable = true
  return async (input, init) => {
    const response = await fetch(input, init)
    if (wasAvailable && response.status === 503) {
      wasAvailable = false
      onUnavailable()
    }
    return response
  }
}
