// The whole service on a database of its own, listening on loopback, for tests that use it as a client does.
import { randomBytes } from 'node:crypto'
import { namedScopes } from '@runwright/contract'
import { bootstrapKeys } from '../../src/access/bootstrap.ts'
import { readOidc } from '../../src/access/sign-in/oidc-file.ts'
import { openSignIns } from '../../src/access/sign-in/open-sign-ins.ts'
import type { SignInCodes } from '../../src/access/sign-in-codes.ts'
import { loadAgentSet } from '../../src/agents/definitions/load-folder.ts'
import { knownTools } from '../../src/app/known-tools.ts'
import { createApp } from '../../src/app.ts'
import { readPrices } from '../../src/cli/prices/read-prices.ts'
import { LiveSecrets } from '../../src/domain/secrets/live-secrets.ts'
import type { ProviderRetry } from '../../src/engine/context/agent-limits.ts'
import type { Embedder } from '../../src/memory/embedders/embedder.ts'
import { recorder } from '../../src/models/cassette/recorder.ts'
import { replayModels } from '../../src/models/cassette/replay-models.ts'
import { chooseModels, modelBook } from '../../src/models/choose-models.ts'
import { readProviders } from '../../src/models/config/read-providers.ts'
import { createLogger } from '../../src/runtime/logger.ts'
import { openSchemaLanes, type SchemaLanes } from '../../src/runtime/schemas/schema-lanes.ts'
import { readSettings } from '../../src/runtime/settings/settings.ts'
import type { Database } from '../../src/store/postgres/database.ts'
import type { Metrics } from '../../src/telemetry/metrics.ts'
import type { Tracing } from '../../src/telemetry/traces/tracing.ts'
import { builtInTools } from '../../src/tools/built-in/built-in-tools.ts'
import { FetchError } from '../../src/tools/http-fetch/fetch-error.ts'
import type { FetchFile } from '../../src/tools/http-fetch/fetch-file.ts'
import { readMcpConfig } from '../../src/tools/mcp/read-config.ts'
import { loadToolsFolder } from '../../src/tools/own/load-folder.ts'
import { loadPolicy } from '../../src/tools/policy/load-policy.ts'
import type { Tool } from '../../src/tools/port/tool.ts'
import { readMailAddresses } from '../../src/webhooks/mail/mail-addresses.ts'
import { type FreshDatabase, freshDatabase } from './database.ts'
import { Occurrences } from './occurrences.ts'

export interface Service {
  readonly url: string
  /** `key_id:secret` of customer `acme`, with every scope. */
  readonly key: string
  /** The same for customer `other`. */
  readonly otherKey: string
  readonly database: Database
  readonly log: Occurrences<string>
  /** As SIGHUP does. */
  reload(): Promise<void>
  stop(): Promise<void>
}

export interface ServiceOptions {
  /** Whether it executes runs too; without, they stay as a test has put them. */
  readonly worker?: boolean
  readonly tools?: readonly Tool[]
  /** How attachments are fetched; left out: not at all, since a test has no network. */
  readonly fetchFile?: FetchFile
  /** Left out: the offline model, which takes seconds to load. */
  readonly embedder?: Embedder
  /** How failed calls to models are repeated, where the service's own pace is too slow for a test. */
  readonly providerRetry?: Partial<ProviderRetry>
  /** Where models' servers and keys are; left out: the environment of the process. */
  readonly environment?: NodeJS.ProcessEnv
  readonly signInCodes?: SignInCodes
  /** Its database. Left out: a new one on the tests' server. */
  readonly host?: Pick<FreshDatabase, 'connection' | 'database' | 'drop'>
  /** Left out: secrets of its own. */
  readonly secrets?: { readonly encryptionKey: Buffer; readonly keyPepper: Buffer }
  /** How long it goes on answering when it leaves a load balancer. */
  readonly announceMs?: number
  /** How long a session of the console is cached. */
  readonly sessionCacheMs?: number
  /** The threads that compile schemas. Left out: those of any service. */
  readonly schemas?: SchemaLanes
  readonly metrics?: Metrics
  readonly tracing?: Tracing | undefined
}

const noNetwork: FetchFile = async () => {
  throw new FetchError('There is no network in tests.')
}

export async function startService(env: Record<string, string> = {}, options: ServiceOptions = {}): Promise<Service> {
  const fresh = options.host ?? (await freshDatabase())
  const key = `key_acme:${randomBytes(12).toString('hex')}`
  const otherKey = `key_other:${randomBytes(12).toString('hex')}`
  const settings = readSettings({
    RUNWRIGHT_PORT: '0',
    RUNWRIGHT_BOOTSTRAP_KEYS: `acme=${key},other=${otherKey}`,
    ...env,
  })
  const log = new Occurrences<string>()
  const stream = { write: (line: string) => log.add(line) }
  const liveSecrets = new LiveSecrets()
  const logger = createLogger({ level: settings.logging.level, stream, scrub: liveSecrets.scrub })
  const secrets = options.secrets ?? { encryptionKey: randomBytes(32), keyPepper: randomBytes(32) }
  const { connection, database } = fresh
  await bootstrapKeys({ database, keyPepper: secrets.keyPepper, keys: settings.secrets.bootstrapKeys, logger })
  await database.run({
    text: "update api_keys set scopes = scopes || $1::text[] where id in ('key_acme', 'key_other')",
    values: [namedScopes],
  })
  const silenceMs = settings.agents.providerSilenceSeconds * 1000
  const providers = readProviders(settings.models.providersPath)
  const { recordDir, replayDir } = settings.cassettes
  const book = replayDir
    ? replayModels(replayDir, providers)
    : modelBook(options.environment ?? process.env, { providers, silenceMs })
  const worker = {
    models: await chooseModels(settings.models, book),
    findModels: (list: string) => book.find(list),
    openModels: (list: string) => book.open(list),
    ...(recordDir && { recorder: recorder(recordDir) }),
    ...(options.providerRetry && { providerRetry: options.providerRetry }),
    fetchFile: options.fetchFile ?? noNetwork,
    ...(options.tools && { tools: withOwn(options.tools) }),
    ...(options.embedder && { embedder: options.embedder }),
    ...(settings.mail.path !== undefined && { mail: readMailAddresses(settings.mail.path) }),
  }
  const mcpServers = readMcpConfig(settings.tools.mcpConfigPath, options.worker ? process.env : undefined)
  const schemas = options.schemas ?? openSchemaLanes()
  const ownTools = await loadToolsFolder(settings.tools.toolsDir, schemas.runs)
  const { agentsDir, skillsDir } = settings.agents
  const loadAgents = () =>
    loadAgentSet(settings.agents, {
      knownTools: knownTools({ ownTools: [...ownTools, ...(options.tools ?? [])], mcpServers }),
      schemas: schemas.requests,
      openModels: worker.openModels,
    })
  const app = createApp({
    settings,
    connection,
    secrets,
    logger,
    liveSecrets,
    schemas,
    mcpServers,
    ownTools,
    metrics: options.metrics,
    tracing: options.tracing,
    policy: await loadPolicy(settings.tools.policyPath, schemas.requests),
    ...((agentsDir || skillsDir) && { agents: { first: await loadAgents(), load: loadAgents } }),
    api: {
      openSignIns: await openSignIns(readOidc(settings)),
      ...(settings.console.pricesPath !== undefined && { prices: readPrices(settings.console.pricesPath) }),
      ...(options.sessionCacheMs !== undefined && { sessionCacheMs: options.sessionCacheMs }),
      ...(options.signInCodes && { signInCodes: options.signInCodes }),
      ...(options.announceMs !== undefined && { announceMs: options.announceMs }),
    },
    ...(options.worker && { worker }),
  })
  const url = (await app.start()) as string
  const stop = async () => {
    await app.stop()
    await fresh.drop()
  }
  return { url, key, otherKey, database, log, reload: () => app.reload(), stop }
}

/** A tool of the same name takes the place of the built-in one. */
function withOwn(own: readonly Tool[]): readonly Tool[] {
  const names = new Set(own.map(({ name }) => name))
  return [...builtInTools().filter(({ name }) => !names.has(name)), ...own]
}
