// Limits wrong sign-ins to the console, per client and for all of them together. A sign-in takes its tokens before the
// key or the code is checked, so that many at once count, too, and gets them back if it was not a wrong guess.
import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../../domain/service-error.ts'
import { TokenBuckets } from '../server/admission/token-buckets.ts'
import { clientOf } from './client-of.ts'

const perMinute = 1 / 60
/** Wrong sign-ins of a client: 10 at once, then 10 a minute. */
const ofClient = { burst: 10, perSecond: 10 * perMinute }
/** Of all clients: an attacker can have many addresses, or invent them. */
const ofAll = { burst: 100, perSecond: 100 * perMinute }

const guesses: readonly string[] = ['API_KEY_INVALID', 'API_KEY_REVOKED', 'API_KEY_EXPIRED', 'SIGN_IN_CODE_INVALID']

export class SignInLimiter {
  readonly #clients = new TokenBuckets(ofClient)
  readonly #all = new TokenBuckets(ofAll)

  /** Refuses with `RATE_LIMITED` before `signIn` is called. */
  async guard<T>(request: Pick<IncomingMessage, 'headers' | 'socket'>, signIn: () => Promise<T>): Promise<T> {
    const client = clientOf(request)
    this.#take(client)
    try {
      const signedIn = await signIn()
      this.#giveBack(client)
      return signedIn
    } catch (error) {
      if (!isGuess(error)) this.#giveBack(client)
      throw error
    }
  }

  #take(client: string): void {
    const waitForAll = this.#all.take('')
    // In this order, and only then: names that a client invents must not fill the memory.
    const waitSeconds = waitForAll ?? this.#clients.take(client)
    if (waitSeconds === undefined) return
    if (waitForAll === undefined) this.#all.giveBack('')
    throw new ServiceError('RATE_LIMITED', 'There were too many wrong sign-ins. Retry later.', waitSeconds)
  }

  #giveBack(client: string): void {
    this.#all.giveBack('')
    this.#clients.giveBack(client)
  }
}

const isGuess = (error: unknown): boolean => error instanceof ServiceError && guesses.includes(error.reason)
