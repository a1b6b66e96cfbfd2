// The checks before every protected route, in this order: 503, 401, 429, 403.
import type { IncomingHttpHeaders } from 'node:http'
import type { Scope } from '@runwright/contract'
import type { Authenticator } from '../../access/authenticator.ts'
import type { ConsoleSessions } from '../../access/console-sessions.ts'
import type { Principal } from '../../domain/principal.ts'
import { ServiceError } from '../../domain/service-error.ts'
import { refuseCrossSite } from './cross-site.ts'
import type { LoadMonitor } from './load-monitor.ts'
import type { RateLimiter } from './rate-limiter.ts'
import { sessionTokenOf } from './session-cookie.ts'

interface GateOptions {
  readonly authenticator: Pick<Authenticator, 'findVerified' | 'authenticate'>
  readonly sessions: Pick<ConsoleSessions, 'authenticate'>
  readonly keyLimiter: RateLimiter
  readonly customerLimiter: RateLimiter
  readonly load: LoadMonitor
}

export class Gate {
  readonly #options: GateOptions
  #isLeaving = false
  #shuttingDown = false

  constructor(options: GateOptions) {
    this.#options = options
  }

  /** Whether a load balancer is to send its requests elsewhere. */
  get isLeaving(): boolean {
    return this.#isLeaving
  }

  /** Requests are still admitted. */
  leave(): void {
    this.#isLeaving = true
  }

  shutDown(): void {
    this.#isLeaving = true
    this.#shuttingDown = true
  }

  /** Synchronous if the key is cached, because this runs before every request. */
  admit(headers: IncomingHttpHeaders): Principal | Promise<Principal> {
    if (this.#shuttingDown) throw shuttingDown()
    this.#options.load.refuseWhenBehind()
    const { authenticator } = this.#options
    const { authorization, cookie } = headers
    if (authorization === undefined && cookie !== undefined) {
      const token = sessionTokenOf(cookie)
      if (token !== undefined) return this.#admitSession(token, headers)
    }
    const known = authenticator.findVerified(authorization)
    if (known) return this.#meter(known)
    return authenticator.authenticate(authorization).then((principal) => this.#meter(principal))
  }

  async #admitSession(token: string, headers: IncomingHttpHeaders): Promise<Principal> {
    refuseCrossSite(headers)
    return this.#meter(await this.#options.sessions.authenticate(token))
  }

  /** The key comes first: a key beyond its own limit must not use up what the other keys of the customer need. */
  #meter(principal: Principal): Principal {
    this.#options.keyLimiter.take(principal.keyId)
    this.#options.customerLimiter.take(principal.customerId)
    return principal
  }
}

export const shuttingDown = (): ServiceError =>
  new ServiceError('SHUTTING_DOWN', 'The service is shutting down. Nothing was written. Try again.', 1)

export function refuseSuspended({ suspended }: Principal): void {
  if (suspended) throw new ServiceError('CUSTOMER_SUSPENDED', 'The customer is suspended.')
}

export function requireScope(principal: Principal, scope: Scope): void {
  refuseSuspended(principal)
  if (!principal.scopes.has(scope))
    throw new ServiceError('SCOPE_DENIED', `The API key does not have the scope ${scope}.`)
}
