// Creates a run: checks the body, makes the change, and tells a replay from a conflict.
import type { RunClass } from '@runwright/contract'
import { type NewRun as AcceptedRun, type IntakeContext, readCreateRun } from '../domain/intake.ts'
import { toWire } from '../domain/plan.ts'
import { ServiceError } from '../domain/service-error.ts'
import { newUuid } from '../runtime/ids.ts'
import type { KeyedHash } from '../runtime/keyed-hash.ts'
import type { RunLimits } from '../runtime/settings.ts'
import type { NewRun } from '../store/run-log/create-statement.ts'
import type { ExistingRun, RunCreator } from '../store/run-log/run-creator.ts'
import type { RunRecord } from '../store/runs.ts'
import { type QueueLimit, queueLimitReached } from './queue-limit.ts'

export interface CreateDependencies extends IntakeContext {
  readonly creator: RunCreator
  readonly queueLimit: QueueLimit
  readonly hashBody: KeyedHash
  readonly limitsOf: (runClass: RunClass) => RunLimits
}

export interface CreateRequest {
  readonly customerId: string
  readonly requestId: string
  readonly idempotencyKey: string
  readonly body: string
}

export interface Creation {
  readonly run: Pick<RunRecord, 'id' | 'workspaceId' | 'subjectId' | 'runClass' | 'createdAt'>
  readonly replayed: boolean
}

export async function createRun(dependencies: CreateDependencies, request: CreateRequest): Promise<Creation> {
  const accepted = readCreateRun(request.body, dependencies)
  const run = newRun(dependencies, request, accepted)
  const reservation = await dependencies.queueLimit.reserve(request.customerId)
  if (!reservation) return replayOrRefuse(dependencies, run)
  let created = false
  try {
    const outcome = await dependencies.creator.create(run)
    if (outcome.outcome === 'exists') return replay(outcome.run, run)
    created = true
    return { run: createdRun(run, outcome.createdAt), replayed: false }
  } finally {
    reservation.settle(created)
  }
}

/** A full queue refuses new runs only: a replay or a conflict is answered as ever. */
async function replayOrRefuse({ creator }: CreateDependencies, run: NewRun): Promise<Creation> {
  const existing = await creator.find(run.customerId, run.idempotencyKey)
  if (!existing) throw queueLimitReached()
  return replay(existing, run)
}

const createdRun = ({ id, workspaceId, subjectId, runClass }: NewRun, createdAt: Date): Creation['run'] => ({
  id,
  workspaceId,
  subjectId,
  runClass,
  createdAt,
})

function replay(existing: ExistingRun, run: NewRun): Creation {
  if (existing.bodyHash.equals(run.bodyHash)) return { run: existing, replayed: true }
  throw new ServiceError(
    'IDEMPOTENCY_KEY_CONFLICT',
    'This idempotency key was used with a different body; send the same body, or a new key.',
  )
}

function newRun({ hashBody, limitsOf }: CreateDependencies, request: CreateRequest, accepted: AcceptedRun): NewRun {
  return {
    id: newUuid(),
    customerId: request.customerId,
    workspaceId: accepted.workspaceId,
    subjectId: accepted.subjectId,
    runClass: accepted.runClass,
    idempotencyKey: request.idempotencyKey,
    bodyHash: hashBody(accepted.canonicalBody),
    requestId: request.requestId,
    input: accepted.inputJson,
    metadata: accepted.metadataJson,
    attachmentRefs: accepted.attachmentRefs,
    sensitivityTags: accepted.sensitivityTags,
    routing: accepted.routing,
    streaming: accepted.streaming,
    plan: accepted.plan && toWire(accepted.plan),
    limits: limitsOf(accepted.runClass),
    createdPayload: createdPayload(request.requestId, accepted),
  }
}

/** `input`, `metadata`, attachments and tags are left out here already: the event is always a redacted one. */
const createdPayload = (requestId: string, { streaming, routingHint, routing }: AcceptedRun): string =>
  JSON.stringify({ request_id: requestId, streaming, routing_hint: routingHint, routing })
