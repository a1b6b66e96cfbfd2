// Creates, rotates, tests and deletes the webhooks of a customer, and sends messages again.
import { type CreateWebhook, defaultWebhookEvents } from '@runwright/contract'
import { actorOf } from '../domain/actor.ts'
import type { Principal } from '../domain/principal.ts'
import { ServiceError } from '../domain/service-error.ts'
import type { Keyring } from '../runtime/cipher-keyring.ts'
import { fromWireId, newUuid } from '../runtime/ids.ts'
import type { Database } from '../store/postgres/database.ts'
import {
  type DeliveryRecord,
  deleteDeliveriesOf,
  insertTestDelivery,
  redeliver as redeliverStored,
} from '../store/webhooks/deliveries.ts'
import {
  deleteWebhook as deleteStored,
  findWebhook,
  insertWebhook,
  rotateWebhook as rotateStored,
  type WebhookRecord,
} from '../store/webhooks/webhooks.ts'
import type { TargetRules } from '../tools/http-fetch/target.ts'
import { parseDeliveryId } from './delivery-id.ts'
import { newWebhookSecret } from './webhook-secret.ts'

const maxWebhooks = 20
const defaultOverlapSeconds = 86_400

export interface WebhookStore {
  readonly database: Database
  readonly keyring: Keyring
  /** Where messages may be sent. */
  readonly rules: TargetRules
}

interface WithSecret {
  readonly webhook: WebhookRecord
  /** Not shown again. */
  readonly secret: string
}

/** The customer, and the id of one of its webhooks as it is in a path. */
export interface WebhookName {
  readonly customerId: string
  readonly id: string
}

type Caller = Pick<Principal, 'customerId' | 'keyId' | 'sessionId'>

export async function createWebhook(
  { database, keyring, rules }: WebhookStore,
  caller: Caller,
  request: CreateWebhook,
): Promise<WithSecret> {
  const { customerId } = caller
  checkUrl(request.url, rules)
  const id = newUuid()
  const secret = newWebhookSecret()
  const sealed = keyring.seal(secret, { webhookId: id, customerId })
  const eventTypes = request.event_types ?? defaultWebhookEvents
  const webhook = await insertWebhook(
    database,
    { customerId, id, url: request.url, eventTypes, sealed },
    { atMost: maxWebhooks, by: actorOf(caller) },
  )
  if (webhook) return { webhook, secret }
  throw invalid(`A customer can have at most ${maxWebhooks} webhooks. Delete one first.`)
}

function checkUrl(text: string, rules: TargetRules): void {
  if (!URL.canParse(text)) throw invalid('url: must be a URL.')
  try {
    rules.checkTarget(new URL(text))
  } catch (error) {
    throw invalid(`url: ${(error as Error).message}`)
  }
}

const invalid = (message: string) => new ServiceError('WEBHOOK_PAYLOAD_INVALID', message)

export async function getWebhook(database: Database, { customerId, id }: WebhookName): Promise<WebhookRecord> {
  const uuid = fromWireId('hook', id)
  return known(uuid === undefined ? undefined : await findWebhook(database, customerId, uuid))
}

function known<T>(found: T | undefined): T {
  if (found === undefined) throw new ServiceError('WEBHOOK_NOT_FOUND', 'No webhook has this id.')
  return found
}

export async function rotateWebhook(
  { database, keyring }: WebhookStore,
  caller: Caller,
  { id, overlapSeconds = defaultOverlapSeconds }: { readonly id: string; readonly overlapSeconds?: number | undefined },
): Promise<WithSecret> {
  const { customerId } = caller
  const webhookId = known(fromWireId('hook', id))
  const secret = newWebhookSecret()
  const sealed = keyring.seal(secret, { webhookId, customerId })
  const rotation = { customerId, id: webhookId, sealed, overlapSeconds, by: actorOf(caller) }
  return { webhook: known(await rotateStored(database, rotation)), secret }
}

const deletedAtOnce = 10_000

export async function deleteWebhook(database: Database, caller: Caller, id: string): Promise<WebhookRecord> {
  const { customerId } = caller
  const webhookId = known(fromWireId('hook', id))
  const webhook = known(await deleteStored(database, { customerId, id: webhookId, by: actorOf(caller) }))
  // In parts: there may be very many.
  while ((await deleteDeliveriesOf(database, { customerId, webhookId, atMost: deletedAtOnce })) === deletedAtOnce);
  return webhook
}

/** Only a worker sends messages, so the test is one of them, and its outcome is in the list of deliveries. */
export async function testWebhook(database: Database, name: WebhookName): Promise<DeliveryRecord> {
  const { id: webhookId } = await getEnabled(database, name)
  return insertTestDelivery(database, { customerId: name.customerId, webhookId, runId: newUuid(), seq: 1 })
}

export async function redeliver(database: Database, name: WebhookName, deliveryId: string): Promise<DeliveryRecord> {
  const { id: webhookId } = await getEnabled(database, name)
  const key = parseDeliveryId(deliveryId)
  const delivery = key && (await redeliverStored(database, { customerId: name.customerId, webhookId, ...key }))
  if (!delivery) throw new ServiceError('DELIVERY_NOT_FOUND', 'The webhook has no delivery with this id.')
  return delivery
}

async function getEnabled(database: Database, name: WebhookName): Promise<WebhookRecord> {
  const webhook = await getWebhook(database, name)
  if (webhook.disabledAt === null) return webhook
  throw new ServiceError(
    'WEBHOOK_DISABLED',
    'The webhook is disabled, because its endpoint answered 410. Create another one.',
  )
}
