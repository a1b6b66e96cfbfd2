// The API keys of the customer. Requires the scope `keys:admin`.

import { pagesOf } from './pages.ts'
import { type CallOptions, pathSegment, type RepeatableCallOptions, type Transport } from './transport.ts'
import type { CreateKey, Key, KeyDetail, KeyList, KeyResult, KeysQuery, KeyWithSecret, RotateKey } from './wire.ts'

export class Keys {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** The response contains the secret. Only the same call with the same idempotency key returns it again. */
  create(body: CreateKey = {}, options: RepeatableCallOptions = {}): Promise<KeyWithSecret> {
    return this.#transport.post({ ...options, path: '/v1/keys', body })
  }

  /** Returns one page, newest first, with revoked and expired keys. */
  list(query: KeysQuery = {}, options: CallOptions = {}): Promise<KeyList> {
    return this.#transport.call({ ...options, path: '/v1/keys', query })
  }

  /** Yields all keys, over all pages. */
  async *all(options: CallOptions = {}): AsyncGenerator<Key, void, undefined> {
    for await (const page of pagesOf((cursor) => this.list({ limit: 200, cursor }, options))) yield* page.keys
  }

  /** With what goes on when the key is revoked: schedules, webhooks and other keys. */
  async get(id: string, options: CallOptions = {}): Promise<KeyDetail> {
    return this.#transport.call({ ...options, path: `/v1/keys/${pathSegment(id)}` })
  }

  /** Creates a new secret under the same id; the old one stays valid for the overlap. */
  async rotate(id: string, body: RotateKey = {}, options: RepeatableCallOptions = {}): Promise<KeyWithSecret> {
    return this.#transport.post({ ...options, path: `/v1/keys/${pathSegment(id)}/rotate`, body })
  }

  async revoke(id: string, options: CallOptions = {}): Promise<KeyResult> {
    return this.#transport.call({ ...options, method: 'DELETE', path: `/v1/keys/${pathSegment(id)}` })
  }
}
