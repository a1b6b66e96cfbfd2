// `runwright start`, `api` and `worker`: run the whole service or a part of it in one process until a signal arrives.
import { bootstrapKeys } from '../access/bootstrap.ts'
import type { AgentFolder } from '../agents/definitions/agent-sets.ts'
import { type LoadOptions, loadAgentsFolder } from '../agents/definitions/load-folder.ts'
import { knownTools } from '../app/known-tools.ts'
import { createApp } from '../app.ts'
import { LiveSecrets } from '../domain/secrets/live-secrets.ts'
import { chooseEmbedder } from '../memory/embedders/choose-embedder.ts'
import { recorder } from '../models/cassette/recorder.ts'
import { replayModels } from '../models/cassette/replay-models.ts'
import { chooseModels, modelBook } from '../models/choose-models.ts'
import { embeddingProvider, readProviders } from '../models/config/read-providers.ts'
import { readProviderServer } from '../models/config/server.ts'
import { localClientFile } from '../runtime/local-client.ts'
import { createLogger, type Logger } from '../runtime/logger.ts'
import { loadSecrets, type Secrets } from '../runtime/secrets.ts'
import { readSettings, type Settings } from '../runtime/settings/settings.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../store/embedded/start-embedded-postgres.ts'
import { type ConnectionOptions, Database } from '../store/postgres/database.ts'
import { readMcpConfig } from '../tools/mcp/read-config.ts'
import { loadToolsFolder } from '../tools/own/load-folder.ts'
import { readPolicy } from '../tools/policy/read-policy.ts'
import { explain } from './explain.ts'
import { LocalAccess } from './local-access.ts'
import { prepareDatabase } from './prepare-database.ts'
import { stopOnSignal } from './stop-on-signal.ts'
import { welcome } from './welcome.ts'

interface Parts {
  readonly api: boolean
  readonly worker: boolean
}

export async function start(env: NodeJS.ProcessEnv, parts: Parts): Promise<void> {
  const settings = readSettings(env)
  const liveSecrets = new LiveSecrets()
  const logger = createLogger({ ...settings.logging, scrub: liveSecrets.scrub })
  const mcpServers = readMcpConfig(settings.tools.mcpConfigPath, parts.worker ? env : undefined)
  const ownTools = await loadToolsFolder(settings.tools.toolsDir)
  const policy = readPolicy(settings.tools.policyPath)
  const worker = parts.worker ? await chooseWorker(settings, { env, logger }) : undefined
  const agents = await readAgents(settings, {
    knownTools: knownTools({ ownTools, mcpServers }),
    openModels: worker?.openModels,
  })
  const secrets = loadSecrets({ ...settings.secrets, dataDir: settings.database.dataDir })
  const postgres = await openPostgres(settings)
  try {
    const connection = postgres?.connection ?? { connectionString: settings.database.url as string }
    const local = new LocalAccess({ dataDir: settings.database.dataDir, host: settings.http.host, logger })
    const firstKey = await prepare({ connection, settings, secrets, logger, local })
    const app = createApp({
      settings,
      connection,
      secrets,
      logger,
      liveSecrets,
      mcpServers,
      ownTools,
      policy,
      agents,
      ...(parts.api && { api: { signInCodes: local.signInCodes } }),
      ...(worker && { worker }),
    })
    // Without agents there is nothing to reload, and the signal keeps its usual meaning: the terminal is gone.
    if (agents) process.on('SIGHUP', () => void app.reload())
    // An unhandled rejection is a bug, but not a reason to abort all running work.
    process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled promise rejection'))
    const address = await app.start().catch(async (error: unknown) => {
      await app.stop()
      throw error
    })
    const signInLink = address === undefined ? undefined : local.listening(address)
    const keyFile = local.hasKey ? localClientFile(settings.database.dataDir) : undefined
    const embedded = postgres !== undefined
    // Before the message: from then on Ctrl-C must work.
    stopOnSignal(async (report) => {
      await app.stop(report)
      await postgres?.stop()
    }, die)
    console.log(welcome({ address, settings, firstKey, keyFile, signInLink, embedded, executes: parts.worker }))
    void postgres?.lost.then((error) => die(error))
  } catch (error) {
    await postgres?.stop()
    throw error
  }
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
  { agents: { agentsDir } }: Settings,
  options: LoadOptions,
): Promise<AgentFolder | undefined> {
  if (agentsDir === undefined) return undefined
  const load = () => loadAgentsFolder(agentsDir, options)
  return { first: await load(), load }
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
  const database = new Database({ connection, maxConnections: 1, applicationName: 'runwright start' })
  try {
    await prepareDatabase(database, secrets)
    const store = { database, keyPepper: secrets.keyPepper }
    const firstKey = await bootstrapKeys({ ...store, keys: settings.secrets.bootstrapKeys, logger })
    if (firstKey !== undefined) local.keep(firstKey, settings.http.port)
    await local.check(store)
    return firstKey
  } finally {
    await database.close()
  }
}

function die(error: unknown): never {
  console.error(explain(error))
  process.exit(1)
}
