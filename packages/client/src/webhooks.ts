// Webhooks: the endpoints that receive messages about events. Requires the scope `webhooks:admin`.

import { pagesOf } from './pages.ts'
import { type CallOptions, pathSegment, type RepeatableCallOptions, type Transport } from './transport.ts'
import type {
  CreatedWebhook,
  CreateWebhook,
  DeletedWebhook,
  DeliveriesQuery,
  DeliveryList,
  DeliveryResult,
  RotateWebhook,
  UpdateWebhook,
  Webhook,
  WebhookList,
  WebhookResult,
  WebhooksQuery,
  WebhookWithSecret,
} from './wire.ts'

const pathOf = (id: string): string => `/v1/webhooks/${pathSegment(id)}`

export class Webhooks {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * The response contains the secret. Only the same call with the same idempotency key returns it again. If there is a
   * webhook with this name, or without names one with this URL, nothing is changed, and the secret is null.
   */
  create(body: CreateWebhook, options: RepeatableCallOptions = {}): Promise<CreatedWebhook> {
    return this.#transport.post({ ...options, path: '/v1/webhooks', body })
  }

  /** Returns one page, newest first. */
  list(query: WebhooksQuery = {}, options: CallOptions = {}): Promise<WebhookList> {
    return this.#transport.call({ ...options, path: '/v1/webhooks', query })
  }

  /** Yields all webhooks, over all pages. */
  async *all(options: CallOptions = {}): AsyncGenerator<Webhook, void, undefined> {
    for await (const page of pagesOf((cursor) => this.list({ limit: 200, cursor }, options))) yield* page.webhooks
  }

  async get(id: string, options: CallOptions = {}): Promise<WebhookResult> {
    return this.#transport.call({ ...options, path: pathOf(id) })
  }

  /** Changes the fields that are given. `{ paused: false }` resumes a webhook, also after its endpoint answered 410. */
  async update(id: string, body: UpdateWebhook, options: CallOptions = {}): Promise<WebhookResult> {
    return this.#transport.call({ ...options, method: 'PATCH', path: pathOf(id), body })
  }

  async delete(id: string, options: CallOptions = {}): Promise<DeletedWebhook> {
    return this.#transport.call({ ...options, method: 'DELETE', path: pathOf(id) })
  }

  /** Creates a new secret; messages are signed with the old one, too, for the overlap. */
  async rotate(id: string, body: RotateWebhook = {}, options: RepeatableCallOptions = {}): Promise<WebhookWithSecret> {
    return this.#transport.post({ ...options, path: `${pathOf(id)}/rotate`, body })
  }

  /** Sends a test message. The list of deliveries shows the outcome. */
  async test(id: string, options: RepeatableCallOptions = {}): Promise<DeliveryResult> {
    return this.#transport.post({ ...options, path: `${pathOf(id)}/test` })
  }

  async deliveries(id: string, query: DeliveriesQuery = {}, options: CallOptions = {}): Promise<DeliveryList> {
    return this.#transport.call({ ...options, path: `${pathOf(id)}/deliveries`, query })
  }

  /** Sends the message of a delivery again. */
  async redeliver(id: string, deliveryId: string, options: RepeatableCallOptions = {}): Promise<DeliveryResult> {
    return this.#transport.post({ ...options, path: `${pathOf(id)}/redeliver`, body: { delivery_id: deliveryId } })
  }
}
