// Runs all trials of the cases. Cases with the same world share a service: its tools are those of the world, so no
// model is offered the tools of another one.
import { randomBytes, randomUUID } from 'node:crypto'
import { bootstrapKeys } from '../../access/bootstrap.ts'
import type { WorkerOptions } from '../../app/worker.ts'
import { createApp } from '../../app.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Secrets } from '../../runtime/secrets.ts'
import type { Settings } from '../../runtime/settings/settings.ts'
import { type ConnectionOptions, Database } from '../../store/postgres/database.ts'
import type { McpServerConfig } from '../../tools/mcp/config.ts'
import type { Tool } from '../../tools/port/tool.ts'
import type { EvalCase } from '../cases/case.ts'
import type { Check } from '../cases/check.ts'
import { applyChecks, type Evidence } from '../checks/apply-checks.ts'
import type { Observation } from '../checks/observation.ts'
import { EvaluationError } from '../evaluation-error.ts'
import { referenceState } from '../world/reference-state.ts'
import { type CreateWorld, loadWorld } from '../world/world.ts'
import { TrialWorlds } from '../world/world-tools.ts'
import { runTrial } from './trial.ts'

export interface TrialResult {
  readonly asked: EvalCase
  /** 1, 2, 3 … within the case. */
  readonly trial: number
  /** Empty if the trial passed. */
  readonly problems: readonly string[]
  readonly observation: Observation
}

export interface SuiteParts {
  readonly settings: Settings
  /** A migrated database that belongs to this evaluation. */
  readonly connection: ConnectionOptions
  readonly secrets: Secrets
  readonly logger: Logger
  readonly worker: WorkerOptions
  readonly ownTools: readonly Tool[]
  readonly mcpServers: readonly McpServerConfig[]
  readonly judge: (asked: EvalCase, ...given: Parameters<Evidence['judge']>) => Promise<string | undefined>
  readonly concurrency: number
  /** Stops the evaluation: trials that have not ended are cancelled and have no result. */
  readonly signal: AbortSignal
  readonly onResult: (result: TrialResult) => void
}

interface PlannedTrial {
  readonly asked: EvalCase
  readonly trial: number
  readonly states: ReadonlyMap<Check, unknown>
}

interface WorldGroup {
  readonly create: CreateWorld | undefined
  readonly trials: readonly PlannedTrial[]
}

/** Throws an EvaluationError before the first trial if a world or a reference action is wrong. */
export async function prepareSuite(cases: readonly EvalCase[]): Promise<readonly WorldGroup[]> {
  const paths = [...new Set(cases.map(({ world }) => world))]
  return Promise.all(
    paths.map(async (path) => {
      const create = path === undefined ? undefined : await loadWorld(path)
      await create?.()
      const ofWorld = cases.filter(({ world }) => world === path)
      return { create, trials: (await Promise.all(ofWorld.map((asked) => planTrials(asked, create)))).flat() }
    }),
  )
}

async function planTrials(asked: EvalCase, create: CreateWorld | undefined): Promise<PlannedTrial[]> {
  const states = new Map<Check, unknown>()
  for (const check of asked.checks) {
    if (check.state_after === undefined || create === undefined) continue
    states.set(check, await referenceState(create, check.state_after, `${asked.file}: ${asked.name}`))
  }
  return Array.from({ length: asked.trials }, (_, index) => ({ asked, trial: index + 1, states }))
}

export async function runSuite(groups: readonly WorldGroup[], parts: SuiteParts): Promise<void> {
  const database = new Database({ connection: parts.connection, maxConnections: 2, applicationName: 'runwright eval' })
  try {
    for (const group of groups) if (!parts.signal.aborted) await runGroup(group, { ...parts, database })
  } finally {
    await database.close()
  }
}

type GroupParts = SuiteParts & { readonly database: Database }

async function runGroup({ create, trials }: WorldGroup, parts: GroupParts): Promise<void> {
  const { settings, connection, secrets, logger, worker, mcpServers } = parts
  const worlds = create && new TrialWorlds(create)
  const ownTools = joinTools(parts.ownTools, (await worlds?.tools()) ?? [])
  const app = createApp({ settings, connection, secrets, logger, mcpServers, ownTools, api: {}, worker })
  try {
    const url = (await app.start()) as string
    const left = [...trials]
    const work = async () => {
      for (let next = left.shift(); next && !parts.signal.aborted; next = left.shift())
        await playTrial(next, { ...parts, url, worlds })
    }
    await Promise.all(Array.from({ length: parts.concurrency }, work))
  } finally {
    await app.stop()
  }
}

function joinTools(own: readonly Tool[], ofWorld: readonly Tool[]): readonly Tool[] {
  const taken = ofWorld.find(({ name }) => own.some((tool) => tool.name === name))
  if (taken)
    throw new EvaluationError(`The tool ${taken.name} of the world has the name of one in RUNWRIGHT_TOOLS_DIR.`)
  return [...own, ...ofWorld]
}

type TrialParts = GroupParts & { readonly url: string; readonly worlds: TrialWorlds | undefined }

async function playTrial({ asked, trial, states }: PlannedTrial, parts: TrialParts): Promise<void> {
  const { url, database, signal, worlds } = parts
  const { customerId, key } = await newCustomer(parts)
  const world = await worlds?.open(customerId)
  const observation = await runTrial(asked, { url, customerId, key, database, world, signal })
  worlds?.close(customerId)
  if (observation === undefined) return
  const judge: Evidence['judge'] = (...given) => parts.judge(asked, ...given)
  const problems = await applyChecks(asked, observation, { states, judge })
  if (!signal.aborted) parts.onResult({ asked, trial, problems, observation })
}

async function newCustomer({ database, secrets, logger }: GroupParts) {
  const customerId = `eval-${randomUUID()}`
  const [keyId, secret] = [`key_${customerId}`, randomBytes(24).toString('hex')]
  await bootstrapKeys({ database, keyPepper: secrets.keyPepper, keys: [{ customerId, keyId, secret }], logger })
  return { customerId, key: `${keyId}:${secret}` }
}
