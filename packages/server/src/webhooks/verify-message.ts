// Verifies a message to a webhook, as its receiver does.
import { timingSafeEqual } from 'node:crypto'
import { signaturesOf } from './delivery/webhook-secret.ts'

export type MessageHeaders = Readonly<Record<string, string | undefined>>

interface ReceivedMessage {
  readonly headers: MessageHeaders
  readonly body: string
}

/** An older message may be one that someone has recorded and sends again. */
const toleranceSeconds = 5 * 60

/** What is wrong with the message; undefined if it was signed with the secret. */
export function problemOf(
  { headers, body }: ReceivedMessage,
  { secret, nowMs }: { readonly secret: string; readonly nowMs: number },
): string | undefined {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  if (id === undefined || timestamp === undefined || signatures === undefined) return 'a webhook header is missing'
  if (!(Math.abs(nowMs / 1000 - Number(timestamp)) <= toleranceSeconds)) return 'its timestamp is not current'
  const expected = signaturesOf({ id, timestamp: Number(timestamp), body }, [secret])
  return signatures.split(' ').some((one) => isSame(one, expected)) ? undefined : 'its signature is not valid'
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}
