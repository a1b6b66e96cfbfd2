// Every setting, once: the parser, the README table and the check for unknown names are all made from this.
import { parseBootstrapKeys } from './bootstrap-keys.ts'
import type { Parser } from './parsers.ts'
import {
  base64Keys,
  base64Of32Bytes,
  decimal,
  embeddingModelName,
  hostName,
  modelName,
  oneOf,
  path,
  postgresUrl,
  seconds,
  secondsOrNone,
  wholeNumber,
} from './parsers.ts'

/** `T` is what the parser gives, `D` what stands there when the variable is unset. */
export interface Setting<T, D> {
  readonly name: string
  readonly parse: Parser<T>
  readonly default: D
  readonly meaning: string
  /** How the README words the default, where the value itself does not say it. */
  readonly shownDefault?: string
  /** Never repeated in a message. */
  readonly secret?: boolean
  /** Lets `NAME=` in an env file mean "not set". Elsewhere an empty value is far likelier a mistake than a wish. */
  readonly emptyIsUnset?: boolean
}

// A function only for its inference: each row keeps its own value and default types.
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
  shownDefault: 'made in the data folder',
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
      meaning: 'The PostgreSQL to use, as `postgres://…`; unset, the service runs one of its own in the data folder.',
    }),
    dataDir: setting({
      name: 'RUNWRIGHT_DATA_DIR',
      parse: path,
      default: '.runwright',
      meaning:
        'The data folder, from the working directory: the embedded database and the secrets made at first start.',
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
      meaning: 'The port to listen on; 0 takes a free one.',
    }),
    rateLimitPerSecond: setting({
      name: 'RUNWRIGHT_RATE_LIMIT_PER_SECOND',
      parse: decimal({ min: 0, max: 1_000_000_000 }),
      default: 1000,
      meaning: 'Requests per second and key, with bursts of twice that; 0 turns it off.',
    }),
  },
  streams: {
    idleSeconds: setting({
      name: 'RUNWRIGHT_SSE_IDLE_SECONDS',
      parse: seconds,
      default: 300,
      meaning: 'An event stream closes after this long without an event.',
    }),
    keepaliveSeconds: setting({
      name: 'RUNWRIGHT_SSE_KEEPALIVE_SECONDS',
      parse: seconds,
      default: 15,
      meaning: 'How often a silent event stream sends a comment that keeps proxies awake.',
    }),
  },
  engine: {
    workerConcurrency: setting({
      name: 'RUNWRIGHT_WORKER_CONCURRENCY',
      parse: wholeNumber({ min: 1, max: 10_000 }),
      default: 64,
      meaning: 'Runs that one process executes at once.',
    }),
    leaseSeconds: setting({
      name: 'RUNWRIGHT_LEASE_SECONDS',
      parse: seconds,
      default: 30,
      meaning: 'How long a worker holds a run without renewing its lease.',
    }),
    heartbeatSeconds: setting({
      name: 'RUNWRIGHT_HEARTBEAT_SECONDS',
      parse: seconds,
      default: 5,
      meaning: 'How often leases are renewed; smaller than two thirds of the lease.',
    }),
    recoveryDelaySeconds: setting({
      name: 'RUNWRIGHT_RECOVERY_DELAY_SECONDS',
      parse: secondsOrNone,
      default: 5,
      meaning: 'The wait before a stalled run is taken up again; it doubles each time, up to five minutes.',
    }),
    maxRecoveries: setting({
      name: 'RUNWRIGHT_MAX_RECOVERIES',
      parse: wholeNumber({ min: 0, max: 1_000_000 }),
      default: 3,
      meaning: 'How often a stalled run is taken up again without a step finished in between; 0 turns it off.',
    }),
    stepTimeoutSeconds: setting({
      name: 'RUNWRIGHT_STEP_TIMEOUT_SECONDS',
      parse: seconds,
      default: 600,
      meaning: 'A step that takes longer leaves its run stalled.',
    }),
  },
  limits: {
    tokenCeiling: setting({
      name: 'RUNWRIGHT_TOKEN_CEILING',
      parse: ceiling,
      default: 1_000_000,
      meaning: 'Tokens that a run of class `default` may use.',
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
      meaning: 'How long after its creation a run of class `default` is ended.',
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
      meaning: 'What becomes of a run that waited too long: `cancel`, `fail` or `replan`.',
    }),
    queueLimit: setting({
      name: 'RUNWRIGHT_QUEUE_LIMIT',
      parse: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER }),
      default: 1_000_000,
      meaning: 'Queued runs per customer; 0 turns it off.',
    }),
  },
  models: {
    model: setting({
      name: 'RUNWRIGHT_MODEL',
      parse: modelName,
      default: 'sandbox',
      meaning:
        'The model of all three roles: `sandbox` or `provider/model`; several, separated by commas, are tried in this order.',
    }),
    planner: setting({ ...likeModel, name: 'RUNWRIGHT_MODEL_PLANNER', meaning: 'The model that plans.' }),
    worker: setting({ ...likeModel, name: 'RUNWRIGHT_MODEL_WORKER', meaning: 'The model that does the steps.' }),
    judge: setting({ ...likeModel, name: 'RUNWRIGHT_MODEL_JUDGE', meaning: 'The model that decides after each step.' }),
  },
  agents: {
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
      meaning: 'The model that memory is searched with: `offline` or `openai-compatible/<model>`.',
    }),
  },
  tools: {
    toolsDir: setting({
      name: 'RUNWRIGHT_TOOLS_DIR',
      parse: path,
      default: undefined,
      emptyIsUnset: true,
      meaning: 'A folder with tools of your own.',
    }),
    mcpConfigPath: setting({
      name: 'RUNWRIGHT_MCP_CONFIG',
      parse: path,
      default: undefined,
      emptyIsUnset: true,
      meaning: 'A file that lists MCP servers whose tools to use.',
    }),
    policyPath: setting({
      name: 'RUNWRIGHT_TOOL_POLICY',
      parse: path,
      default: undefined,
      emptyIsUnset: true,
      meaning: 'A file with the rules that say which tools are allowed, asked for or denied.',
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
      meaning: 'API keys to make at start unless they are there: `customer=key_id:secret`, separated by commas.',
    }),
    encryptionKey: setting({
      ...keptInDataDir,
      name: 'RUNWRIGHT_ENCRYPTION_KEY',
      meaning: 'Encrypts stored sensitive values: 32 bytes in base64, the same on all hosts that share a database.',
    }),
    previousEncryptionKeys: setting({
      name: 'RUNWRIGHT_ENCRYPTION_KEY_PREVIOUS',
      parse: base64Keys,
      default: [],
      shownDefault: 'unset',
      secret: true,
      emptyIsUnset: true,
      meaning:
        'Encryption keys that the current one takes the place of, separated by commas; needed until the log says that they can go.',
    }),
    keyPepper: setting({
      ...keptInDataDir,
      name: 'RUNWRIGHT_KEY_PEPPER',
      meaning: 'Goes into the hash of API keys: 32 bytes in base64, the same on all hosts that share a database.',
    }),
  },
  logging: {
    level: setting({
      name: 'RUNWRIGHT_LOG_LEVEL',
      parse: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
      default: 'info',
      meaning: 'The least level that is logged: JSON lines, or readable text on a terminal.',
    }),
  },
} as const

export type SettingTable = typeof settingTable

export const allSettings: readonly Setting<unknown, unknown>[] = Object.values(settingTable).flatMap(
  (group): Setting<unknown, unknown>[] => Object.values(group),
)
