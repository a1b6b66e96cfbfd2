// Prepares the service of an evaluation from the environment, as `runwright start` does, and runs the cases on it.
import type { PriceList } from '@runwright/contract'
import { knownTools } from '../../app/known-tools.ts'
import { type App, createApp } from '../../app.ts'
import type { EvalCase } from '../../evals/cases/case.ts'
import { EvaluationError } from '../../evals/cases/evaluation-error.ts'
import type { Observation } from '../../evals/checks/observation.ts'
import { tapedJudge } from '../../evals/checks/verdict-tape.ts'
import { buildReport, type Report } from '../../evals/report/report.ts'
import { prepareSuite, runSuite, type TrialResult } from '../../evals/run/suite.ts'
import { openWorkspace, type Workspace } from '../../evals/run/workspace.ts'
import type { Model } from '../../models/port/model.ts'
import { sandbox } from '../../models/sandbox/sandbox.ts'
import { createLogger, type Logger } from '../../runtime/logger.ts'
import type { SchemaLanes } from '../../runtime/schemas/schema-lanes.ts'
import { readSettings, type Settings } from '../../runtime/settings/settings.ts'
import { Database } from '../../store/postgres/database.ts'
import { readMcpConfig } from '../../tools/mcp/read-config.ts'
import { loadToolsFolder } from '../../tools/own/load-folder.ts'
import { loadPolicy } from '../../tools/policy/load-policy.ts'
import type { Tool } from '../../tools/port/tool.ts'
import { prepareDatabase } from '../database/prepare-database.ts'
import { chooseWorker, readAgents } from '../serve/start.ts'
import { plain } from './eval-output.ts'

/** Where the command reads and prints. */
export interface EvalSurroundings {
  readonly env: NodeJS.ProcessEnv
  /** The report goes to stdout, progress and errors to stderr. */
  readonly print: (text: string) => void
  readonly report: (text: string) => void
  readonly signal: AbortSignal
}

interface EvalOptions {
  readonly concurrency: number
  /** Left out: costs are not known. */
  readonly prices?: PriceList | undefined
  readonly schemas: SchemaLanes
}

export async function evaluate(
  cases: readonly EvalCase[],
  { concurrency, prices, schemas }: EvalOptions,
  { env: given, report, signal }: EvalSurroundings,
): Promise<Report> {
  const env = evalEnvironment(given, cases, concurrency)
  const settings = readSettings(env)
  const groups = await prepareSuite(cases, schemas.runs)
  const logger = createLogger({ ...settings.logging, stream: { write: (line) => report(line.trimEnd()) } })
  const worker = await chooseWorker(settings, { env, logger })
  const judges = await openJudges(cases, settings, worker.openModels)
  const worldTools = groups.flatMap(({ worlds }) => worlds?.tools ?? [])
  const compose = await prepareApp(settings, { env, logger, worker, worldTools, schemas })
  const judgeOf = tapedJudge(settings.cassettes)
  const parts = {
    logger,
    schemas: schemas.runs,
    judge: (asked: EvalCase, { rubric, model }: { rubric: string; model?: string }, { content }: Observation) =>
      judgeOf({ model: judges.get(model), rubric, input: asked.input, content, signal }),
    concurrency,
    signal,
  }
  const results: TrialResult[] = []
  const total = groups.reduce((sum, { trials }) => sum + trials.length, 0)
  const onResult = (result: TrialResult) => {
    results.push(result)
    report(describeProgress(result, results.length, total))
  }
  const { connection, secrets, close } = await openWorkspace(env.DATABASE_URL)
  try {
    await migrateWorkspace({ connection, secrets })
    const createApp = (tools: readonly Tool[]) => compose({ connection, secrets }, tools)
    await runSuite(groups, { ...parts, createApp, connection, secrets, onResult })
  } finally {
    await close()
  }
  const { planner, worker: ofWorker, judge } = settings.models
  return buildReport(cases, results, { models: { planner, worker: ofWorker, judge }, prices, now: new Date() })
}

/**
 * The operator's environment, except for what would touch the running service. The models that cases name are allowed:
 * who runs the evaluation may use any.
 */
export function evalEnvironment(
  env: NodeJS.ProcessEnv,
  cases: readonly EvalCase[],
  concurrency: number,
): NodeJS.ProcessEnv {
  const named = cases.flatMap(({ model }) => model ?? [])
  const allowed = [...new Set([...(env.RUNWRIGHT_MODELS_ALLOWED ?? '').split(',').filter(Boolean), ...named])]
  refuseAgentsWithoutFolder(env, cases)
  const { RUNWRIGHT_BOOTSTRAP_KEYS: _, ...rest } = env
  return {
    ...rest,
    RUNWRIGHT_HOST: '127.0.0.1',
    RUNWRIGHT_PORT: '0',
    RUNWRIGHT_WORKER_CONCURRENCY: String(concurrency),
    RUNWRIGHT_LOG_LEVEL: env.RUNWRIGHT_LOG_LEVEL ?? 'error',
    ...(allowed.length > 0 && { RUNWRIGHT_MODELS_ALLOWED: allowed.join(',') }),
  }
}

/** Without the folder, the name of an agent is metadata without effect: the case would test something else. */
function refuseAgentsWithoutFolder(env: NodeJS.ProcessEnv, cases: readonly EvalCase[]): void {
  const named = cases.find(({ agent }) => agent !== undefined)
  if (named === undefined || env.RUNWRIGHT_AGENTS_DIR) return
  throw new EvaluationError(
    `${named.file}: the case ${named.name} names the agent ${named.agent}, but RUNWRIGHT_AGENTS_DIR is not set.`,
  )
}

interface Judges {
  get(model: string | undefined): Model
}

type OpenModels = (list: string) => Promise<readonly Model[]>

/** The models of all `judged` checks, opened before the first trial. */
async function openJudges(cases: readonly EvalCase[], settings: Settings, openModels: OpenModels): Promise<Judges> {
  const opened = new Map<string, Model>()
  for (const { model = settings.models.judge } of cases.flatMap(({ checks }) => checks.flatMap(judgedOf))) {
    if (model === sandbox.name)
      throw new EvaluationError('A check judged needs a real model: set its field model, or RUNWRIGHT_MODEL_JUDGE.')
    const [first] = await openModels(model)
    if (first) opened.set(model, first)
  }
  return {
    get: (model = settings.models.judge) => {
      const found = opened.get(model)
      if (found === undefined) throw new Error(`the model ${model} was not opened`)
      return found
    },
  }
}

const judgedOf = ({ judged }: EvalCase['checks'][number]) => judged ?? []

type Place = Pick<Workspace, 'connection' | 'secrets'>

interface AppParts {
  readonly env: NodeJS.ProcessEnv
  readonly logger: Logger
  readonly worker: Awaited<ReturnType<typeof chooseWorker>>
  /** The tools of all worlds: an agent may name those of a world that is not there yet. */
  readonly worldTools: readonly Tool[]
  readonly schemas: SchemaLanes
}

/** Composes services as `runwright start` does, with the tools of a world as well. */
async function prepareApp(settings: Settings, { env, logger, worker, worldTools, schemas }: AppParts) {
  const own = await loadToolsFolder(settings.tools.toolsDir, schemas.runs)
  const mcpServers = readMcpConfig(settings.tools.mcpConfigPath, env)
  const policy = await loadPolicy(settings.tools.policyPath, schemas.requests)
  const agents = await readAgents(settings, {
    knownTools: knownTools({ ownTools: [...own, ...worldTools], mcpServers }),
    schemas: schemas.requests,
    openModels: worker.openModels,
  })
  return async (place: Place, tools: readonly Tool[]): Promise<App> => {
    const ownTools = joinTools(own, tools)
    return createApp({ settings, ...place, logger, schemas, mcpServers, ownTools, policy, agents, api: {}, worker })
  }
}

function joinTools(own: readonly Tool[], ofWorld: readonly Tool[]): readonly Tool[] {
  const taken = ofWorld.find(({ name }) => own.some((tool) => tool.name === name))
  if (taken)
    throw new EvaluationError(`The tool ${taken.name} of the world has the name of one in RUNWRIGHT_TOOLS_DIR.`)
  return [...own, ...ofWorld]
}

async function migrateWorkspace({ connection, secrets }: Place): Promise<void> {
  const database = new Database({ connection, maxConnections: 1, applicationName: 'runwright eval' })
  try {
    await prepareDatabase(database, secrets)
  } finally {
    await database.close()
  }
}

function describeProgress({ asked, trial, problems }: TrialResult, done: number, total: number): string {
  const which = `${done}/${total} ${asked.name}${asked.trials > 1 ? `, trial ${trial}` : ''}`
  return plain(`${which}: ${problems.length === 0 ? 'passed' : `failed, ${problems[0]}`}`)
}
