// Creates a run: validates the body, writes the change, and distinguishes a replay from a conflict.
import type { RunClass } from '@runwright/contract'
import type { Actor } from '../domain/actor.ts'
import { asLimited } from '../domain/actor-limits.ts'
import { type AcceptedRun, type IntakeContext, readCreateRun } from '../domain/intake/intake.ts'
import { toWire } from '../domain/plan/plan.ts'
import type { Routing } from '../domain/run/routing.ts'
import { titleOf } from '../domain/run/title.ts'
import { type SentDocument, splitSecrets } from '../domain/secrets/split-secrets.ts'
import { ServiceError } from '../domain/service-error.ts'
import { newUuid } from '../runtime/ids.ts'
import type { Keyring, Owner } from '../runtime/secrets/cipher-keyring.ts'
import type { KeyedHash } from '../runtime/secrets/keyed-hash.ts'
import type { RunLimits } from '../runtime/settings/settings.ts'
import { runSliced } from '../runtime/time-slices.ts'
import type { NewRun } from '../store/run-log/create-statement.ts'
import type { CreateOutcome, RunCreator, UsedKey } from '../store/run-log/run-creator.ts'
import type { RunRecord } from '../store/runs/runs.ts'
import { compileSchemas, type SchemaCompiler } from './compile-schemas.ts'
import { type QueueLimit, queueLimitReached } from './queue-limit.ts'
import { shortestRetentionDays } from './shortest-retention-days.ts'

export interface CreateDependencies extends IntakeContext {
  readonly creator: RunCreator
  readonly queueLimit: QueueLimit
  readonly schemas: SchemaCompiler
  readonly hashBody: KeyedHash
  readonly keyring: Keyring
  readonly limits: Readonly<Record<RunClass, RunLimits>>
}

export interface CreateRequest {
  readonly customerId: string
  readonly requestId: string
  readonly idempotencyKey: string
  readonly body: string
  /** The trace that the request belongs to. */
  readonly traceparent?: string | undefined
  /** Undefined: the service itself. */
  readonly by: Actor | undefined
  /** For a run that the service creates: the key that asked for it. */
  readonly onBehalfOf?: string | null | undefined
}

export interface Creation {
  readonly run: Pick<RunRecord, 'id' | 'workspaceId' | 'subjectId' | 'runClass' | 'createdAt'>
  readonly replayed: boolean
}

export async function createRun(dependencies: CreateDependencies, request: CreateRequest): Promise<Creation> {
  const accepted = asLimited(request.by?.limits, await runSliced(readCreateRun(request.body, dependencies)))
  if (accepted.schemas.length > 0) {
    await compileSchemas(dependencies.schemas, accepted.schemas, { customerId: request.customerId })
  }
  return writeRun(dependencies, await newRun(dependencies, request, accepted), (run) =>
    dependencies.creator.create(run),
  )
}

/** Writes a run if the customer may queue another one. A replay or a conflict is answered in any case. */
export async function writeRun<Run extends NewRun>(
  dependencies: Pick<CreateDependencies, 'creator' | 'queueLimit'>,
  run: Run,
  write: (run: Run) => Promise<CreateOutcome>,
): Promise<Creation> {
  const place = dependencies.queueLimit.reserve(run.customerId)
  const reservation = place instanceof Promise ? await place : place
  if (!reservation) return replayOrRefuse(dependencies, run)
  let created = false
  try {
    const outcome = await write(run)
    if (outcome.outcome !== 'created') return replay(outcome, run)
    created = true
    return { run: createdRun(run, outcome.createdAt), replayed: false }
  } finally {
    reservation.release(created)
  }
}

/** A full queue refuses only new runs. A replay or a conflict is answered as usual. */
async function replayOrRefuse({ creator }: Pick<CreateDependencies, 'creator'>, run: NewRun): Promise<Creation> {
  const used = await creator.find(run.customerId, run.idempotencyKey)
  if (!used) throw queueLimitReached()
  return replay(used, run)
}

const createdRun = ({ id, workspaceId, subjectId, runClass }: NewRun, createdAt: Date): Creation['run'] => ({
  id,
  workspaceId,
  subjectId,
  runClass,
  createdAt,
})

/** Throws if the key belongs to another request. */
export function replay(used: UsedKey, run: Pick<NewRun, 'bodyHash'>): Creation {
  if (used.outcome === 'removed') {
    throw new ServiceError(
      'IDEMPOTENCY_KEY_EXPIRED',
      'The run that was created with this idempotency key was removed. Use another key.',
    )
  }
  if (used.run.bodyHash.equals(run.bodyHash)) return { run: used.run, replayed: true }
  throw new ServiceError(
    'IDEMPOTENCY_KEY_CONFLICT',
    'This idempotency key was used with a different body; send the same body, or a new key.',
  )
}

async function newRun(
  dependencies: CreateDependencies,
  request: CreateRequest,
  accepted: AcceptedRun,
): Promise<NewRun> {
  const { hashBody, limits, keyring } = dependencies
  const id = newUuid()
  const content = await contentOf(accepted, keyring, { runId: id, customerId: request.customerId })
  return {
    id,
    customerId: request.customerId,
    workspaceId: accepted.workspaceId,
    subjectId: accepted.subjectId,
    runClass: accepted.runClass,
    idempotencyKey: request.idempotencyKey,
    bodyHash: hashBody(accepted.canonicalBody),
    requestId: request.requestId,
    input: content.input,
    metadata: content.metadata,
    attachmentRefs: content.attachmentRefs,
    sensitivityTags: content.sensitivityTags,
    plan: content.plan,
    title: content.title,
    sealed: content.sealed,
    retentionHintDays: shortestRetentionDays(accepted.sensitivityTags),
    streaming: accepted.streaming,
    limits: limits[accepted.runClass],
    createdPayload: createdPayload(request.requestId, accepted),
    traceparent: request.traceparent,
    by: request.by,
    onBehalfOf: request.onBehalfOf,
  }
}

type Content = Pick<NewRun, 'input' | 'metadata' | 'attachmentRefs' | 'sensitivityTags' | 'plan' | 'title' | 'sealed'>

/** Without sensitivity tags the content is stored as sent. Otherwise its sensitive values are sealed. */
async function contentOf(accepted: AcceptedRun, keyring: Keyring, owner: Owner): Promise<Content> {
  const { inputJson, metadataJson, attachmentRefs, sensitivityTags, secrets } = accepted
  const plan = accepted.plan && toWire(accepted.plan)
  const split = secrets.length > 0 ? await runSliced(splitSecrets(sentDocument(accepted), plan, secrets)) : undefined
  if (!split) {
    const title = titleOf({ input: accepted.input, metadata: accepted.metadata, planGoal: plan?.goal })
    return { input: inputJson, metadata: metadataJson, attachmentRefs, sensitivityTags, plan, title }
  }
  const { clear } = split
  return {
    input: JSON.stringify(clear.input),
    metadata: JSON.stringify(clear.metadata),
    attachmentRefs: clear.attachment_refs,
    sensitivityTags: clear.sensitivity_tags,
    plan: split.plan,
    title: titleOf({ input: clear.input, metadata: clear.metadata, planGoal: plan?.goal && split.maskText(plan.goal) }),
    sealed: keyring.seal(split.sealed, owner),
  }
}

export const sentDocument = ({ input, metadata, attachmentRefs, sensitivityTags }: AcceptedRun): SentDocument => ({
  input,
  metadata,
  ...(attachmentRefs && { attachment_refs: attachmentRefs }),
  ...(sensitivityTags && { sensitivity_tags: sensitivityTags }),
})

/** `input`, `metadata`, attachments and tags are always left out: this event is redacted for every run. */
const createdPayload = (requestId: string, { streaming, routingHint, routing }: AcceptedRun): string =>
  `{"request_id":"${requestId}"${optional('streaming', streaming)}${optional('routing_hint', routingHint)},"routing":${routingJson(routing)}}`

const optional = (name: string, value: unknown): string =>
  value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`

const routingTexts = new WeakMap<Routing, string>()

/** There are only a few ways to route a run, so each one is serialized once. */
function routingJson(routing: Routing): string {
  const known = routingTexts.get(routing)
  if (known !== undefined) return known
  const text = JSON.stringify(routing)
  routingTexts.set(routing, text)
  return text
}
