// The checks before every protected route, in this order: 503, 401, 429, 403.
import type { IncomingHttpHeaders } from 'node:http'
import type { Scope } from '@runwright/contract'
import type { Authenticator } from '../../../access/authenticator.ts'
import type { ConsoleSessions } from '../../../access/console-sessions.ts'
import type { Principal } from '../../../domain/principal.ts'
import { ServiceError } from '../../../domain/service-error.ts'
import { refuseCrossSite } from './cross-site.ts'
import type { LimitWalls } from './limit-walls.ts'
import type { LoadMonitor } from './load-monitor.ts'
import type { RateLimiter } from './rate-limiter.ts'
import { sessionTokenOf } from './session-cookie.ts'

interface GateOptions {
  readonly authenticator: Pick<Authenticator, 'findVerified' | 'authenticate'>
  readonly sessions: Pick<ConsoleSessions, 'authenticate'>
  readonly keyLimiter: RateLimiter
  readonly customerLimiter: RateLimiter
  /** For all tokens of a key with the same limits. */
  readonly tokenLimiter: RateLimiter
  readonly load: LoadMonitor
  readonly walls: LimitWalls
}

export class Gate {
  readonly #options: GateOptions
  #isLeaving = false
  #shuttingDown = false

  constructor(options: GateOptions) {
    this.#options = options
  }

  /** What keeps callers with limits within them. */
  get walls(): LimitWalls {
    return this.#options.walls
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
  admit(headers: IncomingHttpHeaders, request: 'read' | 'write'): Principal | Promise<Principal> {
    if (this.#shuttingDown) throw shuttingDown()
    this.#options.load.refuseWhenBehind(request)
    const identified = this.#identify(headers)
    return identified instanceof Promise
      ? identified.then((who) => this.#accept(who, headers))
      : this.#accept(identified, headers)
  }

  /**
   * Who sends a request to a route that is open to everyone. Undefined: a stranger, also one with a key that is not
   * valid, or with a token of an end user. Such routes answer while the service is overloaded or stops, so nothing is
   * refused or metered here.
   */
  async recognize(headers: IncomingHttpHeaders): Promise<Principal | undefined> {
    try {
      const principal = await this.#identify(headers)
      return principal.suspended || principal.limits ? undefined : principal
    } catch {
      // The answer to a stranger does not depend on why a key is not accepted, or whether the database can be asked.
      return undefined
    }
  }

  /** Synchronous if the key is cached. */
  #identify(headers: IncomingHttpHeaders): Principal | Promise<Principal> {
    const { authenticator, sessions } = this.#options
    const { authorization, cookie } = headers
    const token = authorization === undefined && cookie !== undefined ? sessionTokenOf(cookie) : undefined
    if (token === undefined)
      return authenticator.findVerified(authorization) ?? authenticator.authenticate(authorization)
    refuseCrossSite(headers)
    return sessions.authenticate(token)
  }

  #accept(principal: Principal, { origin }: IncomingHttpHeaders): Principal {
    this.#meter(principal)
    const allowed = principal.token?.origin
    if (allowed !== undefined && origin !== undefined && origin !== allowed)
      throw new ServiceError('TOKEN_ORIGIN_DENIED', `The token is for pages of ${allowed} only.`)
    return principal
  }

  /** The smallest comes first: who is beyond a limit of its own must not use up what others need. */
  #meter({ keyId, customerId, token }: Principal): void {
    if (token?.limitsId !== undefined) this.#options.tokenLimiter.take(token.limitsId)
    this.#options.keyLimiter.take(keyId)
    this.#options.customerLimiter.take(customerId)
  }
}

export const shuttingDown = (): ServiceError =>
  new ServiceError('SHUTTING_DOWN', 'The service is shutting down. Nothing was written. Try again.', 1)

export function refuseSuspended({ suspended }: Principal): void {
  if (suspended) throw new ServiceError('CUSTOMER_SUSPENDED', 'The customer is suspended.')
}

export function requireScope(principal: Principal, scope: Scope): void {
  refuseSuspended(principal)
  if (principal.scopes.has(scope)) return
  const credential = principal.token ? 'token' : 'API key'
  throw new ServiceError('SCOPE_DENIED', `The ${credential} does not have the scope ${scope}.`)
}
