// The table of all settings. Parsing, the table of docs/configuration.md and the check for unknown names are derived
// from it.
import { agentSettings } from './agent-settings.ts'
import { parseBootstrapKeys } from './bootstrap-keys.ts'
import { pricesVariable } from './client-variables.ts'
import { httpSettings } from './http-settings.ts'
import {
  base64Keys,
  base64Of32Bytes,
  embeddingModelName,
  oidcClientSecret,
  oneOf,
  path,
  postgresUrl,
  processCount,
  seconds,
  secondsOrNone,
  smtpUrl,
  watchdogLimit,
  wholeNumber,
} from './parsers.ts'
import { type Setting, setting } from './setting.ts'

const hour = 3_600
const day = 24 * hour
/** A century: longer is a typing error, and could exceed the range of PostgreSQL. */
const days = wholeNumber({ min: 1, max: 36_500 })
const asForAllRuns = 'as `RUNWRIGHT_RETENTION_DAYS`'
const asForTheClass = 'as for the class'
const ceiling = wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER })
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
      meaning:
        'The PostgreSQL database, as `postgres://…`, with one or several servers. If not set, the service runs its own in the data folder.',
    }),
    dataDir: setting({
      name: 'RUNWRIGHT_DATA_DIR',
      parse: path,
      default: '.runwright',
      meaning: 'The data folder, relative to the working directory: the embedded database and the generated secrets.',
    }),
  },
  ...httpSettings,
  processes: {
    count: setting({
      name: 'RUNWRIGHT_PROCESSES',
      parse: processCount,
      default: 1,
      meaning:
        'How many processes serve the port and execute runs. One parent starts and replaces them; `auto` means one per core.',
    }),
    watchdogSeconds: setting({
      name: 'RUNWRIGHT_WATCHDOG_SECONDS',
      parse: watchdogLimit,
      default: 30,
      meaning:
        'How long the event loop of a process may be blocked before the process logs what its runs were doing and kills itself; 0 turns this off.',
    }),
  },
  cells: {
    path: setting({
      name: 'RUNWRIGHT_CELLS',
      parse: path,
      default: undefined,
      emptyIsUnset: true,
      meaning: 'A file that lists the cells, for `runwright gate` and `runwright cells`.',
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
      meaning:
        'How often a stalled run is recovered without finishing a step or a turn in between; 0 disables recovery.',
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
  retention: {
    days: setting({
      name: 'RUNWRIGHT_RETENTION_DAYS',
      parse: days,
      default: undefined,
      meaning: 'How long runs are kept after their end. If not set, they are not removed.',
    }),
    daysShort: setting({
      name: 'RUNWRIGHT_RETENTION_DAYS_SHORT',
      parse: days,
      default: undefined,
      shownDefault: asForAllRuns,
      meaning: 'The same for runs of class `short`.',
    }),
    daysLong: setting({
      name: 'RUNWRIGHT_RETENTION_DAYS_LONG',
      parse: days,
      default: undefined,
      shownDefault: asForAllRuns,
      meaning: 'The same for runs of class `long`.',
    }),
    daysFailed: setting({
      name: 'RUNWRIGHT_RETENTION_DAYS_FAILED',
      parse: days,
      default: undefined,
      shownDefault: asForTheClass,
      meaning: 'The same for failed runs, whatever their class.',
    }),
    daysCancelled: setting({
      name: 'RUNWRIGHT_RETENTION_DAYS_CANCELLED',
      parse: days,
      default: undefined,
      shownDefault: asForTheClass,
      meaning: 'The same for cancelled runs, whatever their class.',
    }),
  },
  ...agentSettings,
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
  mail: {
    smtpUrl: setting({
      name: 'RUNWRIGHT_SMTP_URL',
      parse: smtpUrl,
      default: undefined,
      secret: true,
      emptyIsUnset: true,
      meaning:
        'The mail server that sends questions of runs as mail: `smtps://user:password@host:465`, or `smtp://…:587` with STARTTLS. Needs `RUNWRIGHT_MAIL`.',
    }),
    path: setting({
      name: 'RUNWRIGHT_MAIL',
      parse: path,
      default: undefined,
      emptyIsUnset: true,
      meaning: 'A file with the sender and the addresses that get mail, by customer and role.',
    }),
  },
  webhooks: {
    privateAddresses: setting({
      name: 'RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES',
      parse: oneOf('deny', 'allow'),
      default: 'deny',
      meaning:
        'Whether webhooks may be sent to private addresses, on any port, and over http to the host of the service: `allow` or `deny`.',
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
  oidc: {
    path: setting({
      name: 'RUNWRIGHT_OIDC',
      parse: path,
      default: undefined,
      emptyIsUnset: true,
      meaning:
        'A JSON file with the identity provider through which people sign in to the console, and what their groups allow; needs `RUNWRIGHT_PUBLIC_URL`. Unset: people sign in with API keys.',
    }),
    clientSecret: setting({
      name: 'RUNWRIGHT_OIDC_CLIENT_SECRET',
      parse: oidcClientSecret,
      default: undefined,
      secret: true,
      emptyIsUnset: true,
      meaning: 'The client secret that the identity provider has given. Unset: the client is public, with PKCE only.',
    }),
  },
  console: {
    pricesPath: setting({
      name: pricesVariable,
      parse: path,
      default: undefined,
      emptyIsUnset: true,
      meaning:
        'A JSON file with [the prices of models](usage.md#costs): the console then shows costs. Unset: it shows tokens only.',
    }),
  },
  metrics: {
    port: setting({
      name: 'RUNWRIGHT_METRICS_PORT',
      parse: wholeNumber({ min: 0, max: 65_535 }),
      default: undefined,
      emptyIsUnset: true,
      meaning:
        'The port of `GET /metrics` for Prometheus, on the same address; 0 selects a free port. It needs no key: let only Prometheus reach it.',
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
