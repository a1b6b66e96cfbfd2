// The table of all settings. Parsing, the README table and the check for unknown names are derived from it.
import { parseBootstrapKeys } from './bootstrap-keys.ts'
import type { Parser } from './parsers.ts'
import {
  base64Keys,
  base64Of32Bytes,
  decimal,
  embeddingModelName,
  hostName,
  modelName,
  modelNames,
  oneOf,
  origins,
  path,
  postgresUrl,
  seconds,
  secondsOrNone,
  wholeNumber,
} from './parsers.ts'

/** `T` is the type of the parsed value, `D` that of the default. */
export interface Setting<T, D> {
  readonly name: string
  readonly parse: Parser<T>
  readonly default: D
  readonly meaning: string
  /** The default as shown in the README, if it is not the value itself. */
  readonly shownDefault?: string
  /** Whether messages must not quote the value. */
  readonly secret?: boolean
  /** Whether `NAME=` in an env file means "not set". For other settings, an empty value is most likely a mistake. */
  readonly emptyIsUnset?: boolean
}

// Lets TypeScript infer the value and default types of each row.
function setting<T, const D extends T | undefined>(row: Setting<T, D>): Setting<T, D> {
  return row
}

const hour = 3_600
const day = 24 * hour
const ceiling = wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER })
const likeModel = { parse: modelName, default: undefined, shownDefault: 'as `RUNWRIGHT_MODEL`' }
const keptInDataDir = {
  parse: base64Of32Bytes,
  default: undefined,
  shownDefault: 'generated in the data folder',
  secret: true,
}

export const settingTable = {
  database: {
    url: setting({
      name: 'DATABASE_URL',
      parse: postgresUrl,
      default: undefined,
      secret: true,
      emptyIsUnset: true,
      meaning: 'The PostgreSQL database, as `postgres://…`. If not set, the service runs its own in the data folder.',
    }),
    dataDir: setting({
      name: 'RUNWRIGHT_DATA_DIR',
      parse: path,
      default: '.runwright',
      meaning: 'The data folder, relative to the working directory: the embedded database and the generated secrets.',
    }),
  },
  http: {
    host: setting({
      name: 'RUNWRIGHT_HOST',
      parse: hostName,
      default: '127.0.0.1',
      meaning: 'The address to listen on.',
    }),
    port: setting({
      name: 'RUNWRIGHT_PORT',
      parse: wholeNumber({ min: 0, max: 65_535 }),
      default: 8080,
      meaning: 'The port to listen on; 0 selects a free port.',
    }),
    rateLimitPerSecond: setting({
      name: 'RUNWRIGHT_RATE_LIMIT_PER_SECOND',
      parse: decimal({ min: 0, max: 1_000_000_000 }),
      default: 1000,
      meaning: 'Requests per second and API key, with bursts of twice that; 0 means no limit.',
    }),
    customerRateLimitPerSecond: setting({
      name: 'RUNWRIGHT_CUSTOMER_RATE_LIMIT_PER_SECOND',
      parse: decimal({ min: 0, max: 1_000_000_000 }),
      default: undefined,
      shownDefault: '4 times that of a key',
      meaning:
        'Requests per second and customer, over all of its API keys, with bursts of twice that; 0 means no limit.',
    }),
    corsOrigins: setting({
      name: 'RUNWRIGHT_CORS_ORIGINS',
      parse: origins,
      default: [],
      shownDefault: 'unset',
      emptyIsUnset: true,
      meaning: 'Origins whose web pages may call the API, separated by commas, such as `https://app.example.com`.',
    }),
  },
  streams: {
    idleSeconds: setting({
      name: 'RUNWRIGHT_SSE_IDLE_SECONDS',
      parse: seconds,
      default: 300,
      meaning: 'How long an event stream stays open without an event.',
    }),
    keepaliveSeconds: setting({
      name: 'RUNWRIGHT_SSE_KEEPALIVE_SECONDS',
      parse: seconds,
      default: 15,
      meaning: 'How often an idle event stream sends a comment to keep the connection alive.',
    }),
  },
  engine: {
    workerConcurrency: setting({
      name: 'RUNWRIGHT_WORKER_CONCURRENCY',
      parse: wholeNumber({ min: 1, max: 10_000 }),
      default: 64,
      meaning: 'The number of runs that a process executes at the same time.',
    }),
    leaseSeconds: setting({
      name: 'RUNWRIGHT_LEASE_SECONDS',
      parse: seconds,
      default: 30,
      meaning: 'How long the lease of a worker on a run lasts without renewal.',
    }),
    heartbeatSeconds: setting({
      name: 'RUNWRIGHT_HEARTBEAT_SECONDS',
      parse: seconds,
      default: 5,
      meaning: 'How often leases are renewed; must be less than two thirds of the lease.',
    }),
    recoveryDelaySeconds: setting({
      name: 'RUNWRIGHT_RECOVERY_DELAY_SECONDS',
      parse: secondsOrNone,
      default: 5,
      meaning: 'The delay before a stalled run is recovered; it doubles each time, up to five minutes.',
    }),
    maxRecoveries: setting({
      name: 'RUNWRIGHT_MAX_RECOVERIES',
      parse: wholeNumber({ min: 0, max: 1_000_000 }),
      default: 3,
      meaning: 'How often a stalled run is recovered without finishing a step in between; 0 disables recovery.',
    }),
    stepTimeoutSeconds: setting({
      name: 'RUNWRIGHT_STEP_TIMEOUT_SECONDS',
      parse: seconds,
      default: 600,
      meaning: 'How long a step may take before its run is stalled. A plan can only shorten it.',
    }),
  },
  limits: {
    tokenCeiling: setting({
      name: 'RUNWRIGHT_TOKEN_CEILING',
      parse: ceiling,
      default: 1_000_000,
      meaning: 'The token limit of a run of class `default`.',
    }),
    tokenCeilingShort: setting({
      name: 'RUNWRIGHT_TOKEN_CEILING_SHORT',
      parse: ceiling,
      default: 100_000,
      meaning: 'The same for class `short`.',
    }),
    tokenCeilingLong: setting({
      name: 'RUNWRIGHT_TOKEN_CEILING_LONG',
      parse: ceiling,
      default: 10_000_000,
      meaning: 'The same for class `long`.',
    }),
    durationSeconds: setting({
      name: 'RUNWRIGHT_DURATION_SECONDS',
      parse: seconds,
      default: day,
      meaning: 'The time limit of a run of class `default`, counted from its creation.',
    }),
    durationSecondsShort: setting({
      name: 'RUNWRIGHT_DURATION_SECONDS_SHORT',
      parse: seconds,
      default: hour / 4,
      meaning: 'The same for class `short`.',
    }),
    durationSecondsLong: setting({
      name: 'RUNWRIGHT_DURATION_SECONDS_LONG',
      parse: seconds,
      default: 7 * day,
      meaning: 'The same for class `long`.',
    }),
    signalTimeoutSeconds: setting({
      name: 'RUNWRIGHT_SIGNAL_TIMEOUT_SECONDS',
      parse: seconds,
      default: 12 * hour,
      meaning: 'How long a run of class `default` waits for a signal.',
    }),
    signalTimeoutSecondsShort: setting({
      name: 'RUNWRIGHT_SIGNAL_TIMEOUT_SECONDS_SHORT',
      parse: seconds,
      default: hour / 12,
      meaning: 'The same for class `short`.',
    }),
    signalTimeoutSecondsLong: setting({
      name: 'RUNWRIGHT_SIGNAL_TIMEOUT_SECONDS_LONG',
      parse: seconds,
      default: 72 * hour,
      meaning: 'The same for class `long`.',
    }),
    signalTimeoutAction: setting({
      name: 'RUNWRIGHT_SIGNAL_TIMEOUT_ACTION',
      parse: oneOf('cancel', 'fail', 'replan'),
      default: 'cancel',
      meaning: 'What to do with a run that waited too long: `cancel`, `fail` or `replan`.',
    }),
    queueLimit: setting({
      name: 'RUNWRIGHT_QUEUE_LIMIT',
      parse: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER }),
      default: 1_000_000,
      meaning: 'The limit of queued runs per customer; 0 means no limit.',
    }),
  },
  models: {
    model: setting({
      name: 'RUNWRIGHT_MODEL',
      parse: modelName,
      default: 'sandbox',
      meaning:
        'The model for all three roles: `sandbox` or `provider/model`. Several, separated by commas, are tried in order.',
    }),
    planner: setting({ ...likeModel, name: 'RUNWRIGHT_MODEL_PLANNER', meaning: 'The model of the planner.' }),
    worker: setting({
      ...likeModel,
      name: 'RUNWRIGHT_MODEL_WORKER',
      meaning: 'The model of the worker, which executes the steps.',
    }),
    judge: setting({
      ...likeModel,
      name: 'RUNWRIGHT_MODEL_JUDGE',
      meaning: 'The model of the judge, which decides after each step.',
    }),
    allowed: setting({
      name: 'RUNWRIGHT_MODELS_ALLOWED',
      parse: modelNames,
      default: [],
      shownDefault: 'unset',
      emptyIsUnset: true,
      meaning:
        'The models that a run may choose in `metadata.model`, separated by commas. If not set, it has no effect.',
    }),
    providersPath: setting({
      name: 'RUNWRIGHT_PROVIDERS',
      parse: path,
      default: undefined,
      emptyIsUnset: true,
      meaning: 'A file that configures providers and their models: servers, keys, parameters, fallbacks.',
    }),
  },
  agents: {
    agentsDir: setting({
      name: 'RUNWRIGHT_AGENTS_DIR',
      parse: path,
      default: undefined,
      emptyIsUnset: true,
      meaning: 'A folder with your agents: Markdown files. SIGHUP reloads them.',
    }),
    maxTurns: setting({
      name: 'RUNWRIGHT_MAX_TURNS',
      parse: wholeNumber({ min: 1, max: 1_000 }),
      default: 50,
      meaning: 'Turns of one step; the last one offers no tools, and its answer is the result.',
    }),
    maxSteps: setting({
      name: 'RUNWRIGHT_MAX_STEPS',
      parse: wholeNumber({ min: 1, max: 1_000 }),
      default: 20,
      meaning: 'Steps of a run without a plan; then it fails with `step_limit`.',
    }),
    maxReplans: setting({
      name: 'RUNWRIGHT_MAX_REPLANS',
      parse: wholeNumber({ min: 0, max: 100 }),
      default: 3,
      meaning: 'How often a run is planned again; then it fails with `replan_limit`.',
    }),
    judgeFallback: setting({
      name: 'RUNWRIGHT_JUDGE_FALLBACK',
      parse: oneOf('rule', 'ask', 'fail'),
      default: 'rule',
      meaning:
        'When the judge gives no usable decision: `rule` goes on and says so, `ask` asks a person, `fail` fails the run.',
    }),
    contextTokens: setting({
      name: 'RUNWRIGHT_CONTEXT_TOKENS',
      parse: wholeNumber({ min: 1_000, max: 100_000_000 }),
      default: 128_000,
      meaning: 'The context window of models whose own is not known. At 80 % of it older turns are summarized.',
    }),
    providerRetrySeconds: setting({
      name: 'RUNWRIGHT_PROVIDER_RETRY_SECONDS',
      parse: seconds,
      default: 900,
      meaning: 'How long a call to a model that fails for now is repeated before the run fails.',
    }),
    providerSilenceSeconds: setting({
      name: 'RUNWRIGHT_PROVIDER_SILENCE_SECONDS',
      parse: seconds,
      default: 60,
      meaning: 'A call to a model that sends nothing for this long is given up and repeated.',
    }),
  },
  memory: {
    embeddingModel: setting({
      name: 'RUNWRIGHT_EMBEDDING_MODEL',
      parse: embeddingModelName,
      default: 'offline',
      meaning: 'The embedding model for memory: `offline` or `openai-compatible/<model>`.',
    }),
  },
  tools: {
    toolsDir: setting({
      name: 'RUNWRIGHT_TOOLS_DIR',
      parse: path,
      default: undefined,
      emptyIsUnset: true,
      meaning: 'A folder with your own tools.',
    }),
    mcpConfigPath: setting({
      name: 'RUNWRIGHT_MCP_CONFIG',
      parse: path,
      default: undefined,
      emptyIsUnset: true,
      meaning: 'A file that lists the MCP servers to use.',
    }),
    policyPath: setting({
      name: 'RUNWRIGHT_TOOL_POLICY',
      parse: path,
      default: undefined,
      emptyIsUnset: true,
      meaning: 'A file with the rules that allow tools, require approval for them, or deny them.',
    }),
  },
  secrets: {
    bootstrapKeys: setting({
      name: 'RUNWRIGHT_BOOTSTRAP_KEYS',
      parse: parseBootstrapKeys,
      default: [],
      shownDefault: 'unset',
      secret: true,
      emptyIsUnset: true,
      meaning:
        'API keys to create at startup if they do not exist: a comma-separated list of `customer=key_id:secret`.',
    }),
    encryptionKey: setting({
      ...keptInDataDir,
      name: 'RUNWRIGHT_ENCRYPTION_KEY',
      meaning:
        'The key that encrypts sensitive values: 32 bytes in base64, the same on all hosts that share a database.',
    }),
    previousEncryptionKeys: setting({
      name: 'RUNWRIGHT_ENCRYPTION_KEY_PREVIOUS',
      parse: base64Keys,
      default: [],
      shownDefault: 'unset',
      secret: true,
      emptyIsUnset: true,
      meaning:
        'Previous encryption keys, separated by commas. Keep them until the log says that they are no longer needed.',
    }),
    keyPepper: setting({
      ...keptInDataDir,
      name: 'RUNWRIGHT_KEY_PEPPER',
      meaning: 'The key of the hash of API keys: 32 bytes in base64, the same on all hosts that share a database.',
    }),
  },
  logging: {
    level: setting({
      name: 'RUNWRIGHT_LOG_LEVEL',
      parse: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
      default: 'info',
      meaning: 'The minimum level to log. The log is JSON lines, or readable text on a terminal.',
    }),
  },
} as const

export type SettingTable = typeof settingTable

export const allSettings: readonly Setting<unknown, unknown>[] = Object.values(settingTable).flatMap(
  (group): Setting<unknown, unknown>[] => Object.values(group),
)
