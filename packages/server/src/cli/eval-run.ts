// Prepares the service of an evaluation from the environment, as `runwright start` does, and runs the cases on it.
import type { EvalCase } from '../evals/cases/case.ts'
import { judgeAnswer } from '../evals/checks/judge-answer.ts'
import type { Observation } from '../evals/checks/observation.ts'
import { EvaluationError } from '../evals/evaluation-error.ts'
import { buildReport, type Report } from '../evals/report/report.ts'
import { prepareSuite, runSuite, type TrialResult } from '../evals/run/suite.ts'
import { openWorkspace } from '../evals/run/workspace.ts'
import { modelBook } from '../models/choose-models.ts'
import type { ModelBook } from '../models/model-book.ts'
import { sandbox } from '../models/sandbox/sandbox.ts'
import { createLogger } from '../runtime/logger.ts'
import { readSettings, type Settings } from '../runtime/settings/settings.ts'
import { Database } from '../store/postgres/database.ts'
import { readMcpConfig } from '../tools/mcp/read-config.ts'
import { loadToolsFolder } from '../tools/own/load-folder.ts'
import type { EvalSurroundings } from './eval.ts'
import { plain } from './eval-output.ts'
import { prepareDatabase } from './prepare-database.ts'
import { chooseWorker } from './start.ts'

export async function evaluate(
  cases: readonly EvalCase[],
  concurrency: number,
  { env: given, report, signal }: EvalSurroundings,
): Promise<Report> {
  const env = evalEnvironment(given, cases, concurrency)
  const settings = readSettings(env)
  const judges = await openJudges(cases, settings, modelBook(env))
  const groups = await prepareSuite(cases)
  const logger = createLogger({ ...settings.logging, stream: { write: (line) => report(line.trimEnd()) } })
  const parts = {
    settings,
    logger,
    worker: await chooseWorker(settings, { env, logger }),
    ownTools: await loadToolsFolder(settings.tools.toolsDir),
    mcpServers: readMcpConfig(settings.tools.mcpConfigPath, env),
    judge: (asked: EvalCase, { rubric, model }: { rubric: string; model?: string }, { content }: Observation) =>
      judgeAnswer({ model: judges.get(model), rubric, input: asked.input, content, signal }),
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
    await migrateWorkspace(connection, secrets)
    await runSuite(groups, { ...parts, connection, secrets, onResult })
  } finally {
    await close()
  }
  return buildReport(cases, results, { models: { ...settings.models }, now: new Date() })
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
  const allowed = [...new Set([...(env.RUNWRIGHT_MODELS_ALLOWED?.split(',') ?? []), ...named])]
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
  get(model: string | undefined): Awaited<ReturnType<ModelBook['open']>>[number]
}

/** The models of all `judged` checks, opened before the first trial. */
async function openJudges(cases: readonly EvalCase[], settings: Settings, book: ModelBook): Promise<Judges> {
  const judged = cases.flatMap(({ checks }) => checks.flatMap((check) => check.judged ?? []))
  for (const { model = settings.models.judge } of judged) {
    if (model === sandbox.name)
      throw new EvaluationError('A check judged needs a real model: set its field model, or RUNWRIGHT_MODEL_JUDGE.')
    await book.open(model)
  }
  return {
    get: (model = settings.models.judge) => {
      const found = book.find(model)?.[0]
      if (found === undefined) throw new Error(`the model ${model} was not opened`)
      return found
    },
  }
}

async function migrateWorkspace(
  connection: ConstructorParameters<typeof Database>[0]['connection'],
  secrets: Parameters<typeof prepareDatabase>[1],
): Promise<void> {
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
