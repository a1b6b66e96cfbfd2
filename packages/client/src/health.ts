// Health probes. They are not retried. An unhealthy state is a regular result, not an error.

import type { CallOptions, Transport } from './transport.ts'
import type { Dependencies } from './wire.ts'

export class Health {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  live(options: CallOptions = {}): Promise<{ status: 'ok' }> {
    return this.#transport.probe({ ...options, path: '/health/live' })
  }

  /** When it is unavailable, `message` says why. */
  ready(options: CallOptions = {}): Promise<{ status: 'ok' | 'unavailable'; message?: string }> {
    return this.#transport.probe({ ...options, path: '/health/ready' })
  }

  /** Sends the key: with a valid one, the service also tells its version. */
  dependencies(options: CallOptions = {}): Promise<Dependencies> {
    return this.#transport.probe({ ...options, path: '/health/deps' }, { withKey: true })
  }
}
