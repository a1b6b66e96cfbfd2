// Short-lived tokens for browsers and end users. Requires the scope `tokens:create`.
import type { CallOptions, Transport } from './transport.ts'
import type { CreateToken, TokenResult } from './wire.ts'

export class Tokens {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Nothing is stored: each call makes another token. It is not retried. */
  create(body: CreateToken, options: CallOptions = {}): Promise<TokenResult> {
    return this.#transport.call({ ...options, method: 'POST', path: '/v1/tokens', body })
  }
}
