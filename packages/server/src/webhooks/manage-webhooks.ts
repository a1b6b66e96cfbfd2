// Creates, changes, rotates, tests and deletes the webhooks of a customer, and sends messages again.
import {
  type CreateWebhook,
  chatEvents,
  defaultChatEvents,
  defaultWebhookEvents,
  type EventType,
  type UpdateWebhook,
  type WebhookFormat,
} from '@runwright/contract'
import { actorOf } from '../domain/actor.ts'
import type { Principal } from '../domain/principal.ts'
import { ServiceError } from '../domain/service-error.ts'
import { fromWireId, newUuid } from '../runtime/ids.ts'
import type { Keyring, Owner, SealedValue } from '../runtime/secrets/cipher-keyring.ts'
import { newSeed } from '../runtime/secrets/derived-secret.ts'
import type { Database } from '../store/postgres/database.ts'
import { findOnce, type Once, type Repeatable } from '../store/requests/kept-answers.ts'
import { changeWebhook } from '../store/webhooks/change-webhook.ts'
import {
  type DeliveryRecord,
  deleteDeliveriesOf,
  insertTestDelivery,
  redeliver as redeliverStored,
} from '../store/webhooks/deliveries.ts'
import { refuseSame } from '../store/webhooks/same-webhook.ts'
import type { WebhookRecord } from '../store/webhooks/webhook-record.ts'
import {
  deleteWebhook as deleteStored,
  findWebhook,
  insertWebhook,
  rotateWebhook as rotateStored,
} from '../store/webhooks/webhooks.ts'
import { endpointRules } from '../tools/http-fetch/endpoint-rules.ts'
import type { TargetRules } from '../tools/http-fetch/target.ts'
import { parseDeliveryId } from './delivery/delivery-id.ts'
import { webhookSecretOf } from './delivery/webhook-secret.ts'

export const maxWebhooks = 20
const defaultOverlapSeconds = 86_400

export interface WebhookStore {
  readonly database: Database
  readonly keyring: Keyring
  readonly keyPepper: Buffer
  /** Where messages may be sent. */
  readonly rules: TargetRules
}

export interface WithSecret {
  readonly webhook: WebhookRecord
  /** Shown again only to a request with an idempotency key. */
  readonly secret: string
  /** An earlier request with the same idempotency key has made it. */
  readonly isRepeated: boolean
}

export interface CreatedWebhook extends Omit<WithSecret, 'secret'> {
  /** Null: the webhook was there already, and its secret was shown then. */
  readonly secret: string | null
}

/** The customer, and the id of one of its webhooks as it is in a path. */
export interface WebhookName {
  readonly customerId: string
  readonly id: string
}

interface Caller extends Pick<Principal, 'customerId' | 'keyId' | 'sessionId'> {
  readonly repeatable?: Repeatable | undefined
}

export async function createWebhook(
  store: WebhookStore,
  caller: Caller,
  request: CreateWebhook,
): Promise<CreatedWebhook> {
  const { customerId, repeatable } = caller
  checkUrl(request.url, store.rules)
  const { name = null, url, format = 'standard', event_types: chosen } = request
  const eventTypes = chosen ?? (format === 'standard' ? defaultWebhookEvents : defaultChatEvents)
  checkTypes(format, eventTypes)
  const id = newUuid()
  const seed = newSeed()
  const webhook = { customerId, id, name, url, format, eventTypes }
  const inserted = await insertWebhook(
    store.database,
    { ...webhook, sealed: sealSecret(store, { webhookId: id, customerId }, seed) },
    { atMost: maxWebhooks, by: actorOf(caller), seed, repeatable },
  )
  if (inserted.kind === 'inserted') return withSecret(store, inserted)
  if (inserted.kind === 'exists') return existing(inserted.webhook, webhook)
  throw new ServiceError('LIMIT_REACHED', `A customer can have at most ${maxWebhooks} webhooks. Delete one first.`)
}

type Wanted = Pick<WebhookRecord, 'url' | 'format' | 'eventTypes'>

/** A script that sets up an application can run again. What it wants otherwise than before is not lost in silence. */
function existing(webhook: WebhookRecord, wanted: Wanted): CreatedWebhook {
  const isDifferent = {
    url: webhook.url !== wanted.url,
    format: webhook.format !== wanted.format,
    event_types: webhook.eventTypes.toSorted().join() !== wanted.eventTypes.toSorted().join(),
  }
  const differing = Object.entries(isDifferent).flatMap(([field, differs]) => (differs ? [field] : []))
  if (differing.length > 0) refuseSame(webhook, differing)
  return { webhook, secret: null, isRepeated: true }
}

const sealSecret = ({ keyring, keyPepper }: WebhookStore, owner: Owner, seed: Buffer): SealedValue =>
  keyring.seal(webhookSecretOf(keyPepper, seed), owner)

const withSecret = ({ keyPepper }: WebhookStore, { result, seed, isRepeated }: Once<WebhookRecord>): WithSecret => ({
  webhook: result,
  secret: webhookSecretOf(keyPepper, seed),
  isRepeated,
})

function checkUrl(text: string, rules: TargetRules): void {
  if (!URL.canParse(text)) throw invalid('url: must be a URL.')
  const url = new URL(text)
  const problem = problemOf(url, rules)
  if (problem === undefined) return
  const advice = problemOf(url, endpointRules('allow')) === undefined ? ` ${howToAllow}` : ''
  throw invalid(`url: ${problem}${advice}`)
}

const howToAllow =
  'Private addresses, other ports and http to its own host need RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES=allow at the service: see docs/webhooks.md.'

function problemOf(url: URL, rules: TargetRules): string | undefined {
  try {
    rules.checkTarget(url)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Other events have nothing to say to people. */
function checkTypes(format: WebhookFormat, types: readonly EventType[]): void {
  if (format === 'standard') return
  const other = types.find((type) => !chatEvents.some((shown) => shown === type))
  if (other === undefined) return
  throw invalid(`event_types: a webhook with format ${format} cannot receive ${other}, only ${chatEvents.join(', ')}.`)
}

/** The settings of the service say where mail goes. */
function refuseMail({ format }: Pick<WebhookRecord, 'format'>, what: string): void {
  if (format !== 'mail') return
  throw invalid(`The mail of a customer cannot be ${what}: the settings of the service have made it. Pause it instead.`)
}

const endedMail =
  'The settings of the service send this customer no mail any more: the operator must name the customer in RUNWRIGHT_MAIL.'

async function refuseEndedMail(database: Database, name: WebhookName): Promise<void> {
  const { format, disabledAt } = await getWebhook(database, name)
  if (format === 'mail' && disabledAt !== null) throw invalid(endedMail)
}

const invalid = (message: string) => new ServiceError('WEBHOOK_PAYLOAD_INVALID', message)

export async function getWebhook(database: Database, { customerId, id }: WebhookName): Promise<WebhookRecord> {
  const uuid = fromWireId('hook', id)
  return known(uuid === undefined ? undefined : await findWebhook(database, customerId, uuid))
}

const notFound = () => new ServiceError('WEBHOOK_NOT_FOUND', 'No webhook has this id.')

function known<T>(found: T | undefined): T {
  if (found === undefined) throw notFound()
  return found
}

export async function updateWebhook(
  { database, rules }: WebhookStore,
  caller: Caller,
  { id, name, url, event_types: eventTypes, paused }: UpdateWebhook & { readonly id: string },
): Promise<WebhookRecord> {
  if (url !== undefined) checkUrl(url, rules)
  if (name !== undefined || url !== undefined || eventTypes !== undefined) {
    const known = await getWebhook(database, { customerId: caller.customerId, id })
    refuseMail(known, 'changed')
    checkTypes(known.format, eventTypes ?? [])
  }
  if (paused === false) await refuseEndedMail(database, { customerId: caller.customerId, id })
  const webhook = { customerId: caller.customerId, id: known(fromWireId('hook', id)), by: actorOf(caller) }
  return known(await changeWebhook(database, webhook, { name, url, eventTypes, paused }))
}

export async function rotateWebhook(
  store: WebhookStore,
  caller: Caller,
  { id, overlapSeconds = defaultOverlapSeconds }: { readonly id: string; readonly overlapSeconds?: number | undefined },
): Promise<WithSecret> {
  const { customerId, repeatable } = caller
  const { id: webhookId, format } = await getWebhook(store.database, { customerId, id })
  refuseMail({ format }, 'given a new secret')
  const seed = newSeed()
  const sealed = sealSecret(store, { webhookId, customerId }, seed)
  const act = { by: actorOf(caller), seed, repeatable }
  const rotated = await rotateStored(store.database, { customerId, id: webhookId, sealed, overlapSeconds, ...act })
  return withSecret(store, known(rotated))
}

const deletedAtOnce = 10_000

export async function deleteWebhook(database: Database, caller: Caller, id: string): Promise<void> {
  const { customerId } = caller
  const { id: webhookId, format } = await getWebhook(database, { customerId, id })
  refuseMail({ format }, 'deleted')
  if (!(await deleteStored(database, { customerId, id: webhookId, by: actorOf(caller) }))) throw notFound()
  // In parts: there may be very many.
  while ((await deleteDeliveriesOf(database, { customerId, webhookId, atMost: deletedAtOnce })) === deletedAtOnce);
}

/** Only a worker sends messages, so the test is one of them, and its outcome is in the list of deliveries. */
export async function testWebhook(
  database: Database,
  name: WebhookName,
  repeatable?: Repeatable,
): Promise<DeliveryRecord> {
  const { customerId } = name
  const earlier = await findOnce<DeliveryRecord>(database, customerId, repeatable)
  if (earlier) return earlier.result
  const { id: webhookId } = await getEnabled(database, name)
  return insertTestDelivery(database, { customerId, webhookId, runId: newUuid(), seq: 1 }, repeatable)
}

interface Redelivery extends WebhookName {
  readonly deliveryId: string
  readonly repeatable?: Repeatable | undefined
}

export async function redeliver(database: Database, redelivery: Redelivery): Promise<DeliveryRecord> {
  const { customerId, deliveryId, repeatable } = redelivery
  const earlier = await findOnce<DeliveryRecord>(database, customerId, repeatable)
  if (earlier) return earlier.result
  const { id: webhookId } = await getEnabled(database, redelivery)
  const key = parseDeliveryId(deliveryId)
  const delivery = key && (await redeliverStored(database, { customerId, webhookId, ...key }, repeatable))
  if (!delivery) throw new ServiceError('DELIVERY_NOT_FOUND', 'The webhook has no delivery with this id.')
  return delivery
}

async function getEnabled(database: Database, name: WebhookName): Promise<WebhookRecord> {
  const webhook = await getWebhook(database, name)
  if (webhook.disabledAt === null) return webhook
  const gone =
    'The webhook is disabled, because its endpoint answered 410. Resume it first, with PATCH and paused: false.'
  throw new ServiceError('WEBHOOK_DISABLED', webhook.format === 'mail' ? endedMail : gone)
}
