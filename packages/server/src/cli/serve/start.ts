// `runwright start`, `api` and `worker`: run the whole service or a part of it, in one process or several, until a
// signal arrives.
import cluster from 'node:cluster'
import { once } from 'node:events'
import type { Scope } from '@runwright/contract'
import { bootstrapKeys } from '../../access/bootstrap.ts'
import { readOidc } from '../../access/sign-in/oidc-file.ts'
import { openSignIns } from '../../access/sign-in/open-sign-ins.ts'
import type { SignInCodes } from '../../access/sign-in-codes.ts'
import type { AgentFolder } from '../../agents/definitions/agent-sets.ts'
import { type LoadOptions, loadAgentSet } from '../../agents/definitions/load-folder.ts'
import { knownTools } from '../../app/known-tools.ts'
import { type App, createApp } from '../../app.ts'
import { LiveSecrets } from '../../domain/secrets/live-secrets.ts'
import { operatorSecrets } from '../../domain/secrets/operator-secrets.ts'
import { chooseEmbedder } from '../../memory/embedders/choose-embedder.ts'
import { recorder } from '../../models/cassette/recorder.ts'
import { replayModels } from '../../models/cassette/replay-models.ts'
import { chooseModels, modelBook } from '../../models/choose-models.ts'
import { embeddingProvider, readProviders } from '../../models/config/read-providers.ts'
import { readProviderServer } from '../../models/config/server.ts'
import { localClientFile } from '../../runtime/files/local-client.ts'
import { createLogger, type Logger } from '../../runtime/logger.ts'
import { openSchemaLanes } from '../../runtime/schemas/schema-lanes.ts'
import { loadSecrets, type Secrets } from '../../runtime/secrets/secrets.ts'
import { readSettings, type Settings } from '../../runtime/settings/settings.ts'
import type { ProcessGuard } from '../../runtime/watchdog/process-guard.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../store/embedded/start-embedded-postgres.ts'
import { type ConnectionOptions, Database } from '../../store/postgres/database.ts'
import { findNewerSchema } from '../../store/postgres/migrate.ts'
import { refusePooler } from '../../store/postgres/refuse-pooler.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { openTracing } from '../../telemetry/traces/open-tracing.ts'
import { readMcpConfig } from '../../tools/mcp/read-config.ts'
import { loadToolsFolder } from '../../tools/own/load-folder.ts'
import { loadPolicy } from '../../tools/policy/load-policy.ts'
import { readMailAddresses } from '../../webhooks/mail/mail-addresses.ts'
import { prepareDatabase } from '../database/prepare-database.ts'
import { explain } from '../output/explain.ts'
import { refuseTakenPort } from '../output/refuse-taken-port.ts'
import { readPrices } from '../prices/read-prices.ts'
import { LocalAccess } from './local-access.ts'
import type { FromChild, FromParent } from './processes/child-messages.ts'
import { ChildProcesses, processCountOf } from './processes/child-processes.ts'
import { guardProcess } from './processes/guard-process.ts'
import { answerWithMetrics, createMetrics, type Service, withMetrics } from './processes/serve-metrics.ts'
import { stopOnSignal } from './stop-on-signal.ts'
import { welcome } from './welcome.ts'

interface Parts {
  readonly api: boolean
  readonly worker: boolean
}

export async function start(env: NodeJS.ProcessEnv, parts: Parts): Promise<void> {
  const settings = readSettings(env)
  const liveSecrets = new LiveSecrets()
  const operator = operatorSecrets(env)
  const scrub = (text: string) => liveSecrets.scrub(operator.scrub(text))
  const logger = createLogger({ ...settings.logging, scrub })
  const guard = guardProcess(settings, logger, parts.worker ? settings.engine.workerConcurrency : 0)
  const common = { env, parts, settings, logger, liveSecrets, guard, metrics: await createMetrics(settings) }
  // An unhandled rejection is a bug, but not a reason to abort all running work.
  process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled promise rejection'))
  // The channel to the parent would keep a child alive that could not start.
  if (cluster.isWorker) await startChild(common).catch(die)
  else await startParent(common)
}

interface Common {
  readonly env: NodeJS.ProcessEnv
  readonly parts: Parts
  readonly settings: Settings
  readonly logger: Logger
  readonly liveSecrets: LiveSecrets
  readonly guard: ProcessGuard
  readonly metrics: Metrics | undefined
}

/** The process that owns the database, prints the welcome, and is the service or has children that are. */
async function startParent(common: Common): Promise<void> {
  const { parts, settings, logger } = common
  const count = processCountOf(settings.processes.count)
  if (parts.api) await refuseTakenPort(settings.http).catch(die)
  // Before the database: a mistake in the settings is told at once.
  const prepareApp = count === 1 ? await readParts(common) : undefined
  const [secrets, postgres] = await openData(settings).catch(die)
  try {
    const connection = postgres?.connection ?? { connectionString: settings.database.url as string }
    const local = new LocalAccess({ dataDir: settings.database.dataDir, host: settings.http.host, logger })
    const firstKey = await prepare({ connection, settings, secrets, logger, local })
    const inner = prepareApp
      ? prepareApp({ connection, secrets, signInCodes: local.signInCodes })
      : new ChildProcesses({ count, connection, logger })
    const service = await withMetrics(inner, common)
    reloadOnHangUp(service, common)
    const address = await startOrStop(service)
    const signInLink = address === undefined ? undefined : local.listening(address)
    const keyFile = local.hasKey ? localClientFile(settings.database.dataDir) : undefined
    const embedded = postgres !== undefined
    // Before the message: from then on Ctrl-C must work.
    stopOnSignal(async (report) => {
      await service.stop(report)
      await postgres?.stop()
    }, die)
    const facts = { address, settings, firstKey, keyFile, embedded, executes: parts.worker }
    // A sign-in code is known to the process that issued it, and requests go to any of several.
    console.log(welcome({ ...facts, signInLink: prepareApp && signInLink }))
    void postgres?.lost.then((error) => die(error))
  } catch (error) {
    await postgres?.stop()
    throw error
  }
}

/** One of several processes. Its parent has prepared the database and stops it: Ctrl-C reaches both. */
async function startChild(common: Common): Promise<void> {
  const connection = await askForConnection()
  const secrets = readSecrets(common.settings)
  const app = (await readParts(common))({ connection, secrets })
  reloadOnHangUp(app, common)
  const address = await startOrStop(app)
  process.on('SIGINT', () => undefined)
  stopOnSignal((report) => app.stop(report), die, ['SIGTERM'])
  await answerWithMetrics(common.metrics)
  tellParent({ kind: 'ready', address })
}

const tellParent = (message: FromChild): void => void process.send?.(message)

async function askForConnection(): Promise<ConnectionOptions> {
  const answer = once(process, 'message')
  tellParent({ kind: 'started' })
  const [message] = (await answer) as [FromParent]
  if (message.kind !== 'connection') throw new Error(`the parent sent ${message.kind} before the connection`)
  return message.connection
}

async function startOrStop(service: Service): Promise<string | undefined> {
  return service.start().catch(async (error: unknown) => {
    await service.stop()
    throw error
  })
}

/**
 * Supervisors send it to reload. Without agents there is nothing to reload; on a terminal it then keeps its usual
 * meaning: the terminal is gone.
 */
function reloadOnHangUp(service: Service, { settings: { agents }, logger }: Common): void {
  if (agents.agentsDir !== undefined || agents.skillsDir !== undefined)
    process.on('SIGHUP', () => void service.reload())
  else if (!process.stdout.isTTY)
    process.on('SIGHUP', () => logger.info('SIGHUP: RUNWRIGHT_AGENTS_DIR is not set, so there is nothing to reload'))
}

interface AppPlace {
  readonly connection: ConnectionOptions
  readonly secrets: Secrets
  /** Left out: there are no sign-in links. */
  readonly signInCodes?: SignInCodes
}

const readSecrets = ({ secrets, database: { dataDir } }: Settings): Secrets => loadSecrets({ ...secrets, dataDir })

/** Reads what the app is made of, and returns the function that makes it. */
async function readParts({ env, parts, settings, logger, liveSecrets, guard, metrics }: Common) {
  const mcpServers = readMcpConfig(settings.tools.mcpConfigPath, parts.worker ? env : undefined)
  const schemas = openSchemaLanes()
  const ownTools = await loadToolsFolder(settings.tools.toolsDir, schemas.runs)
  const policy = await loadPolicy(settings.tools.policyPath, schemas.requests)
  const mail = settings.mail.path === undefined ? undefined : readMailAddresses(settings.mail.path)
  const makeSignIns = await openSignIns(parts.api ? readOidc(settings) : undefined)
  const { pricesPath } = settings.console
  const prices = pricesPath === undefined ? undefined : readPrices(pricesPath)
  const worker = parts.worker ? { ...(await chooseWorker(settings, { env, logger })), mail } : undefined
  const agents = await readAgents(settings, {
    knownTools: knownTools({ ownTools, mcpServers }),
    schemas: schemas.requests,
    openModels: worker?.openModels,
  })
  const read = { settings, logger, liveSecrets, schemas, guard, metrics, mcpServers, ownTools, policy, agents }
  const tracing = await openTracing(env, logger)
  return ({ connection, secrets, signInCodes }: AppPlace): App =>
    createApp({
      ...read,
      tracing,
      connection,
      secrets,
      ...(parts.api && { api: { signInCodes, openSignIns: makeSignIns, prices } }),
      ...(worker && { worker }),
    })
}

/** What executes runs: models and embedder of the environment. */
export async function chooseWorker(
  { models, cassettes, memory, agents }: Settings,
  { env, logger }: { env: NodeJS.ProcessEnv; logger: Logger },
) {
  const providers = readProviders(models.providersPath)
  const embedder = await chooseEmbedder(memory.embeddingModel, () =>
    readProviderServer(env, embeddingProvider(providers)),
  )
  const { recordDir, replayDir } = cassettes
  const book = replayDir
    ? replayModels(replayDir, providers)
    : modelBook(env, {
        providers,
        silenceMs: agents.providerSilenceSeconds * 1000,
        onQuirk: (model, quirk) =>
          logger.warn({ model, quirk }, 'the provider refuses a part of requests; it is left out'),
      })
  return {
    models: await chooseModels(models, book),
    findModels: (list: string) => book.find(list),
    openModels: (list: string) => book.open(list),
    ...(recordDir && { recorder: recorder(recordDir) }),
    embedder,
  }
}

export async function readAgents(
  { agents: { agentsDir, skillsDir } }: Settings,
  options: LoadOptions,
): Promise<AgentFolder | undefined> {
  if (agentsDir === undefined && skillsDir === undefined) return undefined
  const load = () => loadAgentSet({ agentsDir, skillsDir }, options)
  return { first: await load(), load }
}

/** The threads that check schemas run already, so a failure has to end the process. */
async function openData(settings: Settings): Promise<[Secrets, EmbeddedPostgres | undefined]> {
  return [readSecrets(settings), await openPostgres(settings)]
}

async function openPostgres({ database }: Settings): Promise<EmbeddedPostgres | undefined> {
  if (database.url) return undefined
  return startEmbeddedPostgres({ dataDir: database.dataDir, report: (message) => console.error(message) })
}

interface Preparation {
  readonly connection: ConnectionOptions
  readonly settings: Settings
  readonly secrets: Secrets
  readonly logger: Logger
  readonly local: LocalAccess
}

/** Returns the first API key, `key_…:secret`, if this start created it. */
async function prepare({ connection, settings, secrets, logger, local }: Preparation): Promise<string | undefined> {
  const database = new Database({ connection, maxConnections: 2, applicationName: 'runwright start' })
  try {
    await refusePooler(database)
    await prepareDatabase(database, secrets)
    await warnOfNewerSchema(database, logger)
    const store = { database, keyPepper: secrets.keyPepper }
    // A user with the embedded database on the same machine may try everything that does not read what others did.
    const moreScopes: Scope[] = settings.database.url ? [] : ['webhooks:admin']
    const firstKey = await bootstrapKeys({ ...store, keys: settings.secrets.bootstrapKeys, logger, moreScopes })
    if (firstKey !== undefined) local.keep(firstKey, settings.http.port)
    await local.check(store)
    return firstKey
  } finally {
    await database.close()
  }
}

async function warnOfNewerSchema(database: Database, logger: Logger): Promise<void> {
  const schema = await findNewerSchema(database)
  if (schema !== undefined) {
    logger.warn({ schema }, 'a newer Runwright has migrated this database; runs that it has begun may wait for it')
  }
}

function die(error: unknown): never {
  console.error(explain(error))
  process.exit(1)
}
