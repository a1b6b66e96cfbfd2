// One attempt to deliver a message: signs it, sends it, and says what follows.
import type { DeliveryType, RunStatus, WebhookMessage } from '@runwright/contract'
import { toWireId } from '../runtime/ids.ts'
import type { Keyring } from '../runtime/secrets/cipher-keyring.ts'
import type { ClaimedDelivery } from '../store/webhooks/claim-deliveries.ts'
import type { AttemptResult } from '../store/webhooks/finish-deliveries.ts'
import { deliveryIdOf, type MessageKey } from './delivery-id.ts'
import type { OutgoingMessage, PostMessage, PostResult } from './post-message.ts'
import { nextAttemptInMs, readRetryAfterMs } from './retry-schedule.ts'
import { signaturesOf } from './webhook-secret.ts'

interface AttemptOptions {
  readonly keyring: Pick<Keyring, 'open'>
  readonly post: PostMessage
  readonly signal: AbortSignal
  /** The time in ms since 1970. */
  readonly now: () => number
  /** Called with an error that is not the endpoint's fault. */
  readonly onError: (error: unknown) => void
}

export async function attemptDelivery(delivery: ClaimedDelivery, options: AttemptOptions): Promise<AttemptResult> {
  const { customerId, webhookId, runId, seq, attempt } = delivery
  const key = { customerId, webhookId, runId, seq, attempt }
  try {
    const message = signedMessage(delivery, options)
    return { ...key, ...verdict(await options.post(message, options.signal), attempt, options.now()) }
  } catch (error) {
    // The process stops: another one, or the next start, sends the message.
    if (options.signal.aborted) return { ...key, ...nothing, outcome: 'interrupted', nextInMs: 0 }
    options.onError(error)
    return { ...key, ...failure(attempt, { error: 'An error in the service. Its log has the details.' }) }
  }
}

function signedMessage(delivery: ClaimedDelivery, { keyring, now }: AttemptOptions): OutgoingMessage {
  const content = { id: deliveryIdOf(delivery), timestamp: Math.floor(now() / 1000), body: messageBody(delivery) }
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

type Verdict = Pick<AttemptResult, 'outcome' | 'nextInMs' | 'responseStatus' | 'error'>

const nothing = { responseStatus: null, error: null } as const

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

interface Failure {
  readonly status?: number
  readonly error: string
  readonly retryAfterMs?: number | undefined
}

const failure = (attempt: number, { status, error, retryAfterMs }: Failure): Verdict => ({
  outcome: 'failed',
  nextInMs: nextAttemptInMs({ attempts: attempt, retryAfterMs }),
  responseStatus: status ?? null,
  error,
})

interface MessageFacts extends MessageKey {
  readonly type: DeliveryType
  readonly status: RunStatus
  readonly workspaceId: string | null
  readonly subjectId: string | null
  readonly at: Date
}

/**
 * The body of a message: what happened, without content. The receiver reads the rest from the API. Made from what is
 * stored with the delivery, so it is equal on every attempt.
 */
function messageBody({ type, at, runId, status, seq, workspaceId, subjectId }: MessageFacts): string {
  const message: WebhookMessage = {
    type,
    timestamp: at.toISOString(),
    data: { run_id: toWireId('run', runId), status, seq, workspace_id: workspaceId, subject_id: subjectId },
  }
  return JSON.stringify(message)
}
