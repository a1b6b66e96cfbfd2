// Runs all trials of the cases. Cases with the same world share a service: its tools are those of the world, so no
// model is offered the tools of another one.
import { randomBytes, randomUUID } from 'node:crypto'
import { bootstrapKeys } from '../../access/bootstrap.ts'
import type { App } from '../../app.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { SchemaThreads } from '../../runtime/schemas/schema-threads.ts'
import type { Secrets } from '../../runtime/secrets/secrets.ts'
import { type ConnectionOptions, Database } from '../../store/postgres/database.ts'
import type { Tool } from '../../tools/port/tool.ts'
import type { EvalCase } from '../cases/case.ts'
import type { Check } from '../cases/check.ts'
import { applyChecks, type Evidence } from '../checks/apply-checks.ts'
import type { Observation } from '../checks/observation.ts'
import { referenceState } from '../world/reference-state.ts'
import { Worlds } from '../world/worlds.ts'
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
  /** A service on `connection` that listens and executes runs, with these tools beside its own. */
  readonly createApp: (worldTools: readonly Tool[]) => Promise<App>
  /** A migrated database that belongs to this evaluation. */
  readonly connection: ConnectionOptions
  readonly secrets: Secrets
  readonly logger: Logger
  readonly schemas: SchemaThreads
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
  readonly worlds: Worlds | undefined
  readonly trials: readonly PlannedTrial[]
}

/** Throws an EvaluationError before the first trial if a world or a reference action is wrong. */
export async function prepareSuite(cases: readonly EvalCase[], schemas: SchemaThreads): Promise<readonly WorldGroup[]> {
  const paths = [...new Set(cases.map(({ world }) => world))]
  return Promise.all(
    paths.map(async (path) => {
      const worlds = path === undefined ? undefined : await Worlds.load(path, schemas)
      const ofWorld = cases.filter(({ world }) => world === path)
      return { worlds, trials: (await Promise.all(ofWorld.map((asked) => planTrials(asked, worlds)))).flat() }
    }),
  )
}

async function planTrials(asked: EvalCase, worlds: Worlds | undefined): Promise<PlannedTrial[]> {
  const states = new Map<Check, unknown>()
  for (const check of asked.checks) {
    if (check.state_after === undefined || worlds === undefined) continue
    states.set(check, await referenceState(worlds, check.state_after, `${asked.file}: ${asked.name}`))
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

async function runGroup({ worlds, trials }: WorldGroup, parts: GroupParts): Promise<void> {
  const app = await parts.createApp(worlds?.tools ?? [])
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

type TrialParts = GroupParts & { readonly url: string; readonly worlds: Worlds | undefined }

async function playTrial({ asked, trial, states }: PlannedTrial, parts: TrialParts): Promise<void> {
  const { url, database, signal, worlds } = parts
  const { customerId, key } = await newCustomer(parts)
  const world = await worlds?.open(customerId)
  const observation = await runTrial(asked, { url, customerId, key, database, world, signal })
  worlds?.close(customerId)
  if (observation === undefined) return
  const judge: Evidence['judge'] = (...given) => parts.judge(asked, ...given)
  const problems = await applyChecks(asked, observation, { states, judge, schemas: parts.schemas })
  if (!signal.aborted) parts.onResult({ asked, trial, problems, observation })
}

async function newCustomer({ database, secrets, logger }: GroupParts) {
  const customerId = `eval-${randomUUID()}`
  const [keyId, secret] = [`key_${customerId}`, randomBytes(24).toString('hex')]
  await bootstrapKeys({ database, keyPepper: secrets.keyPepper, keys: [{ customerId, keyId, secret }], logger })
  return { customerId, key: `${keyId}:${secret}` }
}
