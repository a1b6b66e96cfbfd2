// Forks a run: creates a run that keeps what another one had finished when a step ended, and executes the rest.
import { type Plan, showName } from '@runwright/contract'
import { checkAgentChoice, checkModelChoice } from '../domain/intake/check-choices.ts'
import type { IntakeContext } from '../domain/intake/intake.ts'
import { type AcceptedFork, readForkRun } from '../domain/intake/read-fork.ts'
import { canonicalJson } from '../domain/json/canonical-json.ts'
import { agentProblems } from '../domain/plan/check-agents.ts'
import { refuseProblems } from '../domain/plan/refuse-plan.ts'
import { journalOfFork, keepUpTo } from '../domain/run/fork.ts'
import { journalVersion, type KeptBody } from '../domain/run/journal.ts'
import { ServiceError } from '../domain/service-error.ts'
import { newUuid } from '../runtime/ids.ts'
import { runSliced } from '../runtime/time-slices.ts'
import type { Database } from '../store/postgres/database.ts'
import type { NewFork } from '../store/run-log/fork-statement.ts'
import { type ForkSource, findForkSource } from '../store/runs/fork-source.ts'
import type { SealingKeys } from '../store/sealed/sealing-keys.ts'
import { compileSchemas } from './compile-schemas.ts'
import { type CreateDependencies, type CreateRequest, type Creation, replay, writeRun } from './create-run.ts'
import { contentOfFork, type ForkContent } from './fork-content.ts'
import { runNotFound } from './run-not-found.ts'

export interface ForkDependencies extends CreateDependencies {
  readonly database: Database
  readonly keys: SealingKeys
}

export interface ForkRequest extends CreateRequest {
  /** The run to fork. */
  readonly runId: string
}

/** A repeated request returns its fork, whatever has become of the run meanwhile. */
export async function forkRun(dependencies: ForkDependencies, request: ForkRequest): Promise<Creation> {
  const { customerId, runId, idempotencyKey } = request
  const accepted = await runSliced(readForkRun(request.body, dependencies))
  const bodyHash = dependencies.hashBody(canonicalJson({ fork_of: runId, body: accepted.canonicalBody }))
  const used = await dependencies.creator.find(customerId, idempotencyKey)
  if (used?.outcome === 'exists' && used.run.bodyHash.equals(bodyHash)) return { run: used.run, replayed: true }
  const source = await findForkSource(dependencies.database, { customerId, id: runId })
  if (!source) throw runNotFound()
  if (used) return replay(used, { bodyHash })
  await compileSchemas(dependencies.schemas, accepted.schemas, { customerId })
  const run = await newFork(dependencies, { ...request, accepted, bodyHash, source })
  return writeRun(dependencies, run, (fork) => dependencies.creator.fork(fork))
}

interface Forking extends ForkRequest {
  readonly accepted: AcceptedFork
  readonly bodyHash: Buffer
  readonly source: ForkSource
}

async function newFork(dependencies: ForkDependencies, forking: Forking): Promise<NewFork> {
  const { customerId, by, requestId, idempotencyKey, runId, source, accepted, bodyHash, traceparent } = forking
  const { keys, limits } = dependencies
  const { request } = accepted
  const id = newUuid()
  await keys.ensure([source.content.sealed_key ?? 0])
  const { changesAgent, chosen, scrub, ...content } = await contentOfFork({
    source,
    request,
    keyring: keys.keyring,
    owner: { runId: id, customerId },
  })
  const kept = await scrub(keptOf(source, request.from_step, { changesAgent }))
  checkNames(dependencies, { chosen, plan: content.plan, kept })
  const journal = await runSliced(journalOfFork(kept))
  if (journal.length > maxJournalLength) throw tooLarge()
  return {
    ...content,
    id,
    customerId,
    workspaceId: source.workspaceId,
    subjectId: source.subjectId,
    runClass: source.runClass,
    idempotencyKey,
    bodyHash,
    requestId,
    streaming: source.streaming,
    limits: limits[source.runClass],
    createdPayload: JSON.stringify({ ...JSON.parse(source.createdPayload), request_id: requestId }),
    traceparent,
    by,
    forkedFrom: { runId, stepId: request.from_step },
    journal,
    journalVersion,
  }
}

/** A fork that names another agent begins with the current agents, like any other run. */
function keptOf(source: ForkSource, stepId: string, { changesAgent }: Pick<ForkContent, 'changesAgent'>): KeptBody {
  if (source.journalVersion > journalVersion) throw newerVersion()
  if (!source.past) throw endedTooLongAgo()
  const kept = keepUpTo(stepId, source.past)
  if (!kept) throw stepNotFinished(stepId)
  return changesAgent ? { ...kept, entries: kept.entries.filter(({ key }) => key !== 'agents:run') } : kept
}

interface Named extends Pick<ForkContent, 'chosen' | 'plan'> {
  readonly kept: KeptBody
}

/** What the fork names must exist, as for a create. A fork that keeps the agents of the run has them. */
function checkNames(choices: IntakeContext, { chosen, plan, kept }: Named): void {
  checkModelChoice(chosen, choices)
  if (kept.entries.some(({ key }) => key === 'agents:run')) return
  checkAgentChoice(chosen, choices)
  if (plan !== undefined) refuseProblems(agentProblems(agentsIn(plan as Plan), choices.agents?.current))
}

const agentsIn = ({ steps }: Plan) =>
  steps.map((step) => ({ id: step.id ?? '', agent: 'instruction' in step ? step.agent : undefined }))

/** What a fork keeps is one entry of its journal. */
const maxJournalLength = 32 * 1024 * 1024

const tooLarge = (): ServiceError =>
  new ServiceError(
    'RUN_STATE_CONFLICT',
    `The run has finished too much to be forked: its results have more than ${maxJournalLength} characters of JSON up to this step.`,
  )

const stepNotFinished = (stepId: string): ServiceError =>
  new ServiceError(
    'STEP_NOT_FINISHED',
    `The run has not finished a step ${showName(stepId)}. from_step must be the id of a step that has finished.`,
  )

const endedTooLongAgo = (): ServiceError =>
  new ServiceError(
    'RUN_STATE_CONFLICT',
    'The results of the steps of this run were deleted. A run that succeeded or was cancelled can be forked for a day after its end.',
  )

const newerVersion = (): ServiceError =>
  new ServiceError(
    'RUN_STATE_CONFLICT',
    'A newer version of the service has executed this run. Try again when all processes have been upgraded.',
  )
