// The secret of a webhook, and the signatures that it makes, as Standard Webhooks 1.0 defines them.
import { createHmac, randomBytes } from 'node:crypto'
import { deriveSecret } from '../../runtime/secrets/derived-secret.ts'

const prefix = 'whsec_'

/** 32 random bytes; the standard allows 24 to 64. */
export const newWebhookSecret = (): string => textOf(randomBytes(32))

/** The secret that a seed leads to. A repeated request is shown it again. */
export const webhookSecretOf = (keyPepper: Buffer, seed: Buffer): string =>
  textOf(deriveSecret(keyPepper, 'secret of a webhook')(seed))

const textOf = (bytes: Buffer): string => prefix + bytes.toString('base64')

export interface SignedContent {
  readonly id: string
  /** In seconds since 1970. */
  readonly timestamp: number
  readonly body: string
}

/** The value of `webhook-signature`: one signature for each secret, so that receivers need only one of them. */
export const signaturesOf = ({ id, timestamp, body }: SignedContent, secrets: readonly string[]): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(prefix.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
    })
    .join(' ')
