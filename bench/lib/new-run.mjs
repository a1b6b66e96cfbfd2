// A run as the log takes it, for benchmarks that create without HTTP.
import { randomBytes } from 'node:crypto'
import { newUuid, newWireId } from '../../packages/server/dist/runtime/ids.js'

const requestId = newWireId('req')

export function newRun(input) {
  const id = newUuid()
  return {
    id,
    customerId: 'bench',
    workspaceId: null,
    subjectId: null,
    runClass: 'default',
    idempotencyKey: id,
    bodyHash: randomBytes(32),
    requestId,
    input: JSON.stringify(input),
    metadata: '{}',
    limits: { tokens: 1_000_000, durationSeconds: 86_400, signalTimeoutSeconds: 43_200 },
    createdPayload: JSON.stringify({
      request_id: requestId,
      routing_hint: 'skip_planning',
      routing: { first_role: 'worker' },
    }),
  }
}
