// The body of a message to a webhook: what happened, without content. The receiver reads the rest from the API.
import type { DeliveryType, RunStatus, WebhookMessage } from '@runwright/contract'
import { toWireId } from '../runtime/ids.ts'
import type { MessageKey } from './delivery-id.ts'

interface MessageFacts extends MessageKey {
  readonly type: DeliveryType
  readonly status: RunStatus
  readonly workspaceId: string | null
  readonly subjectId: string | null
  readonly at: Date
}

/** Made from what is stored with the delivery, so it is equal on every attempt. */
export function messageBody({ type, at, runId, status, seq, workspaceId, subjectId }: MessageFacts): string {
  const message: WebhookMessage = {
    type,
    timestamp: at.toISOString(),
    data: { run_id: toWireId('run', runId), status, seq, workspace_id: workspaceId, subject_id: subjectId },
  }
  return JSON.stringify(message)
}
