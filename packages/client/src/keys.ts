// API keys of the customer; needs the scope `keys:admin`.
import type { CreateKey, KeyList, KeyResult, KeyWithSecret, RotateKey } from '@runwright/contract'
import { type CallOptions, pathSegment, type Transport } from './transport.ts'

export class Keys {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** The secret is in this answer only. Not repeated by itself: a second attempt would make a second key. */
  create(body: CreateKey = {}, options: CallOptions = {}): Promise<KeyWithSecret> {
    return this.#transport.call({ ...options, method: 'POST', path: '/v1/keys', body })
  }

  list(options: CallOptions = {}): Promise<KeyList> {
    return this.#transport.call({ ...options, path: '/v1/keys' })
  }

  /** A new secret under the same id; the old one stays valid for the overlap. */
  async rotate(id: string, body: RotateKey = {}, options: CallOptions = {}): Promise<KeyWithSecret> {
    return this.#transport.call({ ...options, method: 'POST', path: `/v1/keys/${pathSegment(id)}/rotate`, body })
  }

  async revoke(id: string, options: CallOptions = {}): Promise<KeyResult> {
    return this.#transport.call({ ...options, method: 'DELETE', path: `/v1/keys/${pathSegment(id)}` })
  }
}
