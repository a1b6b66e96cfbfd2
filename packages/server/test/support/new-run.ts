// Makes consistent rows for tests that need a run without the HTTP edge.
import { randomBytes } from 'node:crypto'
import { newUuid } from '../../src/runtime/ids.ts'
import type { NewRun } from '../../src/store/run-log/create-statement.ts'

export function newRun(changes: Partial<NewRun> = {}): NewRun {
  const id = changes.id ?? newUuid()
  return {
    id,
    customerId: 'acme',
    workspaceId: null,
    subjectId: null,
    runClass: 'default',
    idempotencyKey: id,
    bodyHash: randomBytes(32),
    requestId: 'req_test',
    input: '{}',
    metadata: '{}',
    attachmentRefs: undefined,
    sensitivityTags: undefined,
    streaming: undefined,
    plan: undefined,
    limits: { tokens: 1_000_000, durationSeconds: 86_400, signalTimeoutSeconds: 43_200 },
    createdPayload: '{"request_id":"req_test","routing":{"first_role":"planner"}}',
    ...changes,
  }
}
