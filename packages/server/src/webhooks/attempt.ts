// One attempt to deliver a message: signs it, sends it, and says what follows.
import type { WebhookMessage } from '@runwright/contract'
import { toWireId } from '../runtime/ids.ts'
import type { Keyring } from '../runtime/secrets/cipher-keyring.ts'
import type { ClaimedDelivery } from '../store/webhooks/claim-deliveries.ts'
import type { AttemptResult } from '../store/webhooks/finish-deliveries.ts'
import { deliveryIdOf } from './delivery/delivery-id.ts'
import { readRetryAfterMs } from './delivery/retry-schedule.ts'
import { failure, interrupted, skipped, type Verdict } from './delivery/verdict.ts'
import { signaturesOf } from './delivery/webhook-secret.ts'
import type { OutgoingMessage, PostMessage, PostResult } from './post-message.ts'

export type FindQuestion = (delivery: ClaimedDelivery) => Promise<WebhookMessage['data']['awaiting_input']>

export interface AttemptOptions {
  /** The message for people. Undefined: there is nothing to say any more. */
  readonly compose: (delivery: ClaimedDelivery) => Promise<string | undefined>
  readonly keyring: Pick<Keyring, 'open'>
  readonly post: PostMessage
  readonly signal: AbortSignal
  /** What a message about a wait says of the question; undefined if it is not open any more. */
  readonly findQuestion: FindQuestion
  /** The time in ms since 1970. */
  readonly now: () => number
  /** Called with an error that is not the endpoint's fault. */
  readonly onError: (error: unknown) => void
}

export async function attemptDelivery(delivery: ClaimedDelivery, options: AttemptOptions): Promise<AttemptResult> {
  const { customerId, webhookId, runId, seq, type, attempt, triedAt } = delivery
  const key = { customerId, webhookId, runId, seq, type, attempt, triedAt }
  try {
    const body = await bodyOf(delivery, options)
    if (body === undefined) return { ...key, ...skipped }
    const message = signedMessage(delivery, body, options)
    return { ...key, ...verdict(await options.post(message, options.signal), attempt, options.now()) }
  } catch (error) {
    if (options.signal.aborted) return { ...key, ...interrupted }
    options.onError(error)
    return { ...key, ...failure(attempt, { error: 'An error in the service. Its log has the details.' }) }
  }
}

async function bodyOf(delivery: ClaimedDelivery, options: AttemptOptions): Promise<string | undefined> {
  if (delivery.format !== 'standard') return options.compose(delivery)
  const question = delivery.type === 'run.awaiting_input' ? await options.findQuestion(delivery) : undefined
  return messageBody(delivery, question)
}

function signedMessage(delivery: ClaimedDelivery, body: string, { keyring, now }: AttemptOptions): OutgoingMessage {
  const content = { id: deliveryIdOf(delivery), timestamp: Math.floor(now() / 1000), body }
  const secrets = delivery.secrets.map((sealed) => String(keyring.open(sealed, delivery)))
  return {
    url: delivery.url,
    body: content.body,
    headers: {
      'webhook-id': content.id,
      'webhook-timestamp': String(content.timestamp),
      'webhook-signature': signaturesOf(content, secrets),
    },
  }
}

function verdict(result: PostResult, attempt: number, now: number): Verdict {
  if ('error' in result) return failure(attempt, result)
  const { status, retryAfter } = result
  if (status >= 200 && status < 300)
    return { outcome: 'delivered', nextInMs: null, responseStatus: status, error: null }
  if (status === 410) return { outcome: 'gone', nextInMs: null, responseStatus: status, error: answered(status) }
  return failure(attempt, { status, error: answered(status), retryAfterMs: readRetryAfterMs(retryAfter, now) })
}

const answered = (status: number): string =>
  status === 410
    ? 'The endpoint answered with status 410. The webhook was disabled.'
    : status >= 300 && status < 400
      ? `The endpoint answered with status ${status}. Redirects are not followed.`
      : `The endpoint answered with status ${status}.`

/**
 * The body of a message: what happened, and what a person is asked. The receiver reads the rest from the API. It is
 * equal on every attempt, except that a question which was answered meanwhile is left out.
 */
function messageBody(delivery: ClaimedDelivery, question: WebhookMessage['data']['awaiting_input']): string {
  const { type, at, runId, status, seq, workspaceId, subjectId } = delivery
  const message: WebhookMessage = {
    type,
    timestamp: at.toISOString(),
    data: {
      ...{ run_id: toWireId('run', runId), status, seq, workspace_id: workspaceId, subject_id: subjectId },
      ...(question && { awaiting_input: question }),
    },
  }
  return JSON.stringify(message)
}
