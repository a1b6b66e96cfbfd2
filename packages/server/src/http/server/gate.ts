// The checks before every protected route, in this order: 503, 401, 429, 403.
import type { Scope } from '@runwright/contract'
import type { Authenticator } from '../../access/authenticator.ts'
import type { Principal } from '../../domain/principal.ts'
import { ServiceError } from '../../domain/service-error.ts'
import type { LoadMonitor } from './load-monitor.ts'
import type { RateLimiter } from './rate-limiter.ts'

interface GateOptions {
  readonly authenticator: Pick<Authenticator, 'findVerified' | 'authenticate'>
  readonly keyLimiter: RateLimiter
  readonly customerLimiter: RateLimiter
  readonly load: LoadMonitor
}

export class Gate {
  readonly #options: GateOptions
  #shuttingDown = false

  constructor(options: GateOptions) {
    this.#options = options
  }

  get isShuttingDown(): boolean {
    return this.#shuttingDown
  }

  shutDown(): void {
    this.#shuttingDown = true
  }

  /** Synchronous if the key is cached, because this runs before every request. */
  admit(authorization: string | undefined): Principal | Promise<Principal> {
    if (this.#shuttingDown) throw shuttingDown()
    this.#options.load.refuseWhenBehind()
    const { authenticator } = this.#options
    const known = authenticator.findVerified(authorization)
    if (known) return this.#meter(known)
    return authenticator.authenticate(authorization).then((principal) => this.#meter(principal))
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

export function requireScope({ suspended, scopes }: Principal, scope: Scope): void {
  if (suspended) throw new ServiceError('CUSTOMER_SUSPENDED', 'The customer is suspended.')
  if (!scopes.has(scope)) throw new ServiceError('SCOPE_DENIED', `The API key does not have the scope ${scope}.`)
}
