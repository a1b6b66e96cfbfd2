import { resolve } from 'node:path'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { BootstrapKey } from './bootstrap-keys.ts'
import { allSettings } from './setting-table.ts'
import { limitsByClass, readSettings } from './settings.ts'
import { SettingsError } from './settings-error.ts'

const someSecret = Buffer.alloc(32, 7).toString('base64')

function messageFor(env: Record<string, string>): string {
  try {
    readSettings(env)
  } catch (error) {
    if (error instanceof SettingsError) return error.message
    throw error
  }
  return 'no complaint'
}

describe('an empty environment', () => {
  const settings = readSettings({})

  test('gives the documented defaults', () => {
    expect(settings).toEqual({
      database: { url: undefined, dataDir: resolve('.runwright') },
      cells: { path: undefined },
      http: {
        host: '127.0.0.1',
        port: 8080,
        publicUrl: undefined,
        decisionLinks: 'off',
        rateLimitPerSecond: 1000,
        maxConnections: 10_000,
        maxConnectionsPerAddress: 0,
        headersTimeoutSeconds: 10,
        requestTimeoutSeconds: 30,
        corsOrigins: [],
      },
      processes: { count: 1, watchdogSeconds: 30 },
      streams: { idleSeconds: 300, keepaliveSeconds: 15 },
      engine: {
        workerConcurrency: 64,
        leaseSeconds: 30,
        heartbeatSeconds: 5,
        recoveryDelaySeconds: 5,
        maxRecoveries: 3,
        stepTimeoutSeconds: 600,
      },
      limits: expect.objectContaining({ signalTimeoutAction: 'cancel', queueLimit: 1_000_000 }),
      models: {
        planner: 'sandbox',
        worker: 'sandbox',
        judge: 'sandbox',
        allowed: [],
        providersPath: undefined,
      },
      agents: {
        maxTurns: 50,
        maxSteps: 20,
        maxReplans: 3,
        judgeFallback: 'rule',
        contextTokens: 128_000,
        providerRetrySeconds: 900,
        providerSilenceSeconds: 60,
      },
      cassettes: { recordDir: undefined, replayDir: undefined },
      memory: { embeddingModel: 'offline' },
      retention: {},
      tools: { toolsDir: undefined, mcpConfigPath: undefined },
      mail: { smtpUrl: undefined, path: undefined },
      oidc: { path: undefined, clientSecret: undefined },
      webhooks: { privateAddresses: 'deny' },
      secrets: {
        bootstrapKeys: [],
        encryptionKey: undefined,
        previousEncryptionKeys: [],
        keyPepper: undefined,
      },
      console: { pricesPath: undefined },
      metrics: { port: undefined },
      logging: { level: 'info' },
    })
  })

  test.each([
    ['short', 100_000, 15 * 60, 5 * 60],
    ['default', 1_000_000, 24 * 3600, 12 * 3600],
    ['long', 10_000_000, 7 * 24 * 3600, 72 * 3600],
  ] as const)('gives class %s its documented limits', (runClass, tokens, durationSeconds, signalTimeoutSeconds) => {
    expect(limitsByClass(settings.limits)[runClass]).toEqual({ tokens, durationSeconds, signalTimeoutSeconds })
  })

  test('returns immutable settings', () => {
    expect(Object.isFrozen(settings)).toBe(true)
    expect(Object.values(settings).every(Object.isFrozen)).toBe(true)
    expect(Object.isFrozen(readSettings({ RUNWRIGHT_BOOTSTRAP_KEYS: 'a=b:c' }).secrets.bootstrapKeys[0])).toBe(true)
  })
})

test('values that are given replace the defaults', () => {
  const settings = readSettings({
    DATABASE_URL: 'postgresql://db/runwright',
    RUNWRIGHT_PORT: '0',
    RUNWRIGHT_RATE_LIMIT_PER_SECOND: '0.5',
    RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0',
    RUNWRIGHT_TOOLS_DIR: 'my/tools',
    RUNWRIGHT_ENCRYPTION_KEY: someSecret,
  })
  expect(settings.database.url).toBe('postgresql://db/runwright')
  expect(settings.http).toMatchObject({ host: '127.0.0.1', port: 0, rateLimitPerSecond: 0.5 })
  expect(settings.engine.recoveryDelaySeconds).toBe(0)
  expect(settings.tools.toolsDir).toBe(resolve('my/tools'))
  expect(settings.secrets.encryptionKey).toBe(someSecret)
})

test('a limit without a suffix belongs to class default and does not affect the other classes', () => {
  const { limits } = readSettings({ RUNWRIGHT_TOKEN_CEILING: '50', RUNWRIGHT_DURATION_SECONDS_LONG: '1.5' })
  expect(limitsByClass(limits).default.tokens).toBe(50)
  expect(limitsByClass(limits).short.tokens).toBe(100_000)
  expect(limitsByClass(limits).long).toMatchObject({ tokens: 10_000_000, durationSeconds: 1.5 })
})

test('a role without its own model uses the general one', () => {
  const { models } = readSettings({ RUNWRIGHT_MODEL: 'openai/a', RUNWRIGHT_MODEL_JUDGE: 'local/b/c' })
  expect(models).toMatchObject({ planner: 'openai/a', worker: 'openai/a', judge: 'local/b/c' })
})

test('the models that a run may choose are a list', () => {
  const allowed = (text: string) => readSettings({ RUNWRIGHT_MODELS_ALLOWED: text }).models.allowed
  expect(allowed('openai/a, local/b:8b,openai/a')).toEqual(['openai/a', 'local/b:8b'])
  expect(allowed('')).toEqual([])
  expect(() => allowed('openai/a,,x')).toThrow(
    'RUNWRIGHT_MODELS_ALLOWED must be a comma-separated list of models, such as openai/gpt-5,anthropic/claude-sonnet-4-5, but is "openai/a,,x".',
  )
})

test('the types of the slices follow from the table', () => {
  const settings = readSettings({})
  expectTypeOf(settings.database.url).toEqualTypeOf<string | undefined>()
  expectTypeOf(settings.http.port).toEqualTypeOf<number>()
  expectTypeOf(settings.limits.signalTimeoutAction).toEqualTypeOf<'cancel' | 'fail' | 'replan'>()
  expectTypeOf(settings.secrets.bootstrapKeys).toEqualTypeOf<readonly BootstrapKey[]>()
})

describe('a bad value stops the start with a sentence that names it', () => {
  test.each([
    ['RUNWRIGHT_PORT', '80a', 'must be a whole number from 0 to 65535, but is "80a".'],
    ['RUNWRIGHT_PORT', '65536', 'must be a whole number from 0 to 65535, but is "65536".'],
    ['RUNWRIGHT_PORT', '-1', 'must be a whole number from 0 to 65535, but is "-1".'],
    ['RUNWRIGHT_PORT', ' 80', 'must be a whole number from 0 to 65535, but is " 80".'],
    ['RUNWRIGHT_HOST', '[::1]', 'must be an IP address or a host name, but is "[::1]".'],
    ['RUNWRIGHT_HOST', '1.2.3.400', 'must be an IP address or a host name, but is "1.2.3.400".'],
    [
      'RUNWRIGHT_CORS_ORIGINS',
      '*',
      'must be a comma-separated list of origins without a path or wildcard, such as https://app.example.com, but is "*".',
    ],
    [
      'RUNWRIGHT_CORS_ORIGINS',
      'https://app.example.com/',
      'must be a comma-separated list of origins without a path or wildcard, such as https://app.example.com, but is "https://app.example.com/".',
    ],
    [
      'RUNWRIGHT_CORS_ORIGINS',
      'app.example.com',
      'must be a comma-separated list of origins without a path or wildcard, such as https://app.example.com, but is "app.example.com".',
    ],
    [
      'RUNWRIGHT_CORS_ORIGINS',
      'https://a.example,null',
      'must be a comma-separated list of origins without a path or wildcard, such as https://app.example.com, but is "https://a.example,null".',
    ],
    [
      'RUNWRIGHT_CORS_ORIGINS',
      'https://*.example.com',
      'must be a comma-separated list of origins without a path or wildcard, such as https://app.example.com, but is "https://*.example.com".',
    ],
    [
      'RUNWRIGHT_CORS_ORIGINS',
      'https://APP.example.com',
      'must be a comma-separated list of origins without a path or wildcard, such as https://app.example.com, but is "https://APP.example.com".',
    ],
    [
      'RUNWRIGHT_CORS_ORIGINS',
      'https://a.example:443',
      'must be a comma-separated list of origins without a path or wildcard, such as https://app.example.com, but is "https://a.example:443".',
    ],
    [
      'RUNWRIGHT_CORS_ORIGINS',
      'ftp://a.example',
      'must be a comma-separated list of origins without a path or wildcard, such as https://app.example.com, but is "ftp://a.example".',
    ],
    ['RUNWRIGHT_PROCESSES', 'all', 'must be auto or a whole number from 1 to 256, but is "all".'],
    ['RUNWRIGHT_PROCESSES', '0', 'must be auto or a whole number from 1 to 256, but is "0".'],
    ['RUNWRIGHT_DATA_DIR', ' ', 'must be a path, but is " ".'],
    ['RUNWRIGHT_RATE_LIMIT_PER_SECOND', '-0.1', 'must be a number from 0 to 1000000000, but is "-0.1".'],
    ['RUNWRIGHT_QUEUE_LIMIT', '1.5', 'must be a whole number from 0 to 9007199254740991, but is "1.5".'],
    ['RUNWRIGHT_MAX_RECOVERIES', '1.5', 'must be a whole number from 0 to 1000000, but is "1.5".'],
    ['RUNWRIGHT_WORKER_CONCURRENCY', '0', 'must be a whole number from 1 to 10000, but is "0".'],
    ['RUNWRIGHT_WORKER_CONCURRENCY', '10001', 'must be a whole number from 1 to 10000, but is "10001".'],
    ['RUNWRIGHT_TOKEN_CEILING_SHORT', '0', 'must be a whole number from 1 to 9007199254740991, but is "0".'],
    ['RUNWRIGHT_LEASE_SECONDS', '0', 'must be a number from 0.001 to 315360000, but is "0".'],
    ['RUNWRIGHT_LEASE_SECONDS', '1e3', 'must be a number from 0.001 to 315360000, but is "1e3".'],
    ['RUNWRIGHT_LEASE_SECONDS', 'Infinity', 'must be a number from 0.001 to 315360000, but is "Infinity".'],
    ['RUNWRIGHT_RECOVERY_DELAY_SECONDS', '-1', 'must be a number from 0 to 315360000, but is "-1".'],
    ['RUNWRIGHT_WATCHDOG_SECONDS', '0.5', 'must be 0 or a number from 1 to 315360000, but is "0.5".'],
    ['RUNWRIGHT_MODEL_WORKER', 'gpt', 'must be sandbox or provider/model, such as openai/gpt-5, but is "gpt".'],
    [
      'RUNWRIGHT_EMBEDDING_MODEL',
      'openai/x',
      'must be offline or openai-compatible/<model>, such as openai-compatible/text-embedding-3-small, but is "openai/x".',
    ],
    ['RUNWRIGHT_SIGNAL_TIMEOUT_ACTION', 'stop', 'must be one of cancel, fail, replan, but is "stop".'],
    ['RUNWRIGHT_LOG_LEVEL', 'INFO', 'must be one of fatal, error, warn, info, debug, trace, silent, but is "INFO".'],
  ])('%s=%s', (name, value, complaint) => {
    expect(messageFor({ [name]: value })).toBe(`${name} ${complaint}`)
  })

  test('a very long value is cut in the message', () => {
    expect(messageFor({ RUNWRIGHT_PORT: '9'.repeat(5000) })).toContain(`"${'9'.repeat(100)}…"`)
  })

  test.each([
    ['DATABASE_URL', 'mysql://u:hunter2@db', 'a URL that starts with postgres:// or postgresql://.'],
    [
      'DATABASE_URL',
      'postgres://u:hunter2@a,b/db?target_session_attrs=standby',
      'a URL whose target_session_attrs is read-write: the service writes to the database.',
    ],
    ['RUNWRIGHT_ENCRYPTION_KEY', 'hunter2', '32 bytes in base64, such as the output of openssl rand -base64 32.'],
    [
      'RUNWRIGHT_KEY_PEPPER',
      `${someSecret}hunter2`,
      '32 bytes in base64, such as the output of openssl rand -base64 32.',
    ],
  ])('%s never shows in it', (name, value, wants) => {
    expect(messageFor({ [name]: value })).toBe(`${name} must be ${wants}`)
  })
})

describe('an empty value', () => {
  test.each(['DATABASE_URL', 'RUNWRIGHT_BOOTSTRAP_KEYS', 'RUNWRIGHT_TOOLS_DIR', 'RUNWRIGHT_MCP_CONFIG'])(
    'counts as unset for %s',
    (name) => {
      expect(readSettings({ [name]: '' })).toEqual(readSettings({}))
    },
  )

  test.each(allSettings.filter((row) => !row.emptyIsUnset).map(({ name }) => name))('is a mistake for %s', (name) => {
    expect(messageFor({ [name]: '' })).toMatch(new RegExp(`^${name} must be `))
  })
})

test('the time for headers is a part of the time for a request', () => {
  expect(messageFor({ RUNWRIGHT_HEADERS_TIMEOUT_SECONDS: '31' })).toBe(
    'RUNWRIGHT_HEADERS_TIMEOUT_SECONDS (31) must not be more than RUNWRIGHT_REQUEST_TIMEOUT_SECONDS (30).',
  )
  expect(readSettings({ RUNWRIGHT_HEADERS_TIMEOUT_SECONDS: '30' }).http.headersTimeoutSeconds).toBe(30)
})

describe('the heartbeat', () => {
  test('must be less than two thirds of the lease', () => {
    expect(messageFor({ RUNWRIGHT_LEASE_SECONDS: '3', RUNWRIGHT_HEARTBEAT_SECONDS: '2' })).toBe(
      'RUNWRIGHT_HEARTBEAT_SECONDS (2) must be less than two thirds of RUNWRIGHT_LEASE_SECONDS (3).',
    )
  })

  test('may be a fraction just below it', () => {
    const { engine } = readSettings({ RUNWRIGHT_LEASE_SECONDS: '1.5', RUNWRIGHT_HEARTBEAT_SECONDS: '0.99' })
    expect(engine).toMatchObject({ leaseSeconds: 1.5, heartbeatSeconds: 0.99 })
  })
})

test('runs are recorded or replayed, not both', () => {
  expect(messageFor({ RUNWRIGHT_RECORD: 'a', RUNWRIGHT_REPLAY: 'b' })).toBe(
    'RUNWRIGHT_RECORD and RUNWRIGHT_REPLAY exclude each other: unset one of them.',
  )
})

describe('an unknown name', () => {
  test.each([
    ['RUNWRIGHT_PROT', 'RUNWRIGHT_PORT'],
    ['RUNWRIGHT_DATABASE_URL', 'DATABASE_URL'],
    ['RUNWRIGHT_LEASE', 'RUNWRIGHT_LEASE_SECONDS'],
    ['RUNWRIGHT_LOGLEVEL', 'RUNWRIGHT_LOG_LEVEL'],
    ['RUNWRIGHT_TOKEN_CEILING_LNG', 'RUNWRIGHT_TOKEN_CEILING_LONG'],
    // An API key in RUNWRIGHT_KEY_PEPPER would make all keys invalid.
    ['RUNWRIGHT_KEY', 'RUNWRIGHT_API_KEY'],
    ['RUNWRIGHT_APIKEY', 'RUNWRIGHT_API_KEY'],
    ['RUNWRIGHT_BASE_URL', 'RUNWRIGHT_URL'],
  ])('%s is answered with %s', (typed, meant) => {
    expect(messageFor({ [typed]: 'hunter2' })).toBe(`${typed} is not a setting: did you mean ${meant}?`)
  })

  test('the address and the key of the command line are not settings, but allowed', () => {
    expect(messageFor({ RUNWRIGHT_URL: 'https://runs.example.com', RUNWRIGHT_API_KEY: 'key_1:s' })).toBe('no complaint')
  })

  test('far from every setting points to the list of settings', () => {
    expect(messageFor({ RUNWRIGHT_COFFEE_STRENGTH: 'x' })).toBe(
      'RUNWRIGHT_COFFEE_STRENGTH is not a setting: docs/configuration.md lists all settings.',
    )
  })

  test('is ignored without the prefix RUNWRIGHT_', () => {
    expect(messageFor({ PORT: 'x', MY_RUNWRIGHT_PROT: 'x' })).toBe('no complaint')
  })
})

test('origins for CORS are a list; none by default', () => {
  const origins = (env: NodeJS.ProcessEnv) => readSettings(env).http.corsOrigins
  expect(origins({})).toEqual([])
  expect(origins({ RUNWRIGHT_CORS_ORIGINS: 'https://app.example.com, http://localhost:3000' })).toEqual([
    'https://app.example.com',
    'http://localhost:3000',
  ])
})

describe('where people reach the service, and mail', () => {
  test.each([
    ['https://run.example.com', 'https://run.example.com'],
    ['https://run.example.com/tools/', 'https://run.example.com/tools'],
  ])('%s is a base address', (text, url) => {
    expect(readSettings({ RUNWRIGHT_PUBLIC_URL: text }).http.publicUrl).toBe(url)
  })

  test.each([
    'run.example.com',
    'https://a:b@run.example.com',
    'https://run.example.com/?a',
    'javascript:alert(1)',
    'https://a#b',
  ])('%s is none', (text) => {
    expect(() => readSettings({ RUNWRIGHT_PUBLIC_URL: text })).toThrow(
      'RUNWRIGHT_PUBLIC_URL must be an http or https URL',
    )
  })

  const RUNWRIGHT_MAIL = '/mail.json'

  test.each([
    'smtp://mail.example.com',
    'smtps://u:p%40ss@mail.example.com:465',
    'smtp://127.0.0.1:25?tls=off',
    'smtp://[::1]',
  ])('%s is a mail server', (RUNWRIGHT_SMTP_URL) => {
    expect(readSettings({ RUNWRIGHT_SMTP_URL, RUNWRIGHT_MAIL }).mail.smtpUrl).toBe(RUNWRIGHT_SMTP_URL)
  })

  test.each([
    'http://hunter2@host',
    'smtp://u:hunter2@host?tls=maybe',
    'smtps://u:hunter2@host?tls=off',
    'smtp://u:hunter2%zz@host',
  ])('%s is none, and the error does not repeat it', (RUNWRIGHT_SMTP_URL) => {
    const read = () => readSettings({ RUNWRIGHT_SMTP_URL, RUNWRIGHT_MAIL })
    expect(read).toThrow('RUNWRIGHT_SMTP_URL must be a URL')
    expect(read).not.toThrow('hunter2')
  })

  test('a server without addresses, and addresses without a server, are a mistake', () => {
    expect(() => readSettings({ RUNWRIGHT_MAIL })).toThrow('RUNWRIGHT_MAIL needs RUNWRIGHT_SMTP_URL')
    expect(() => readSettings({ RUNWRIGHT_SMTP_URL: 'smtp://host' })).toThrow('RUNWRIGHT_SMTP_URL needs RUNWRIGHT_MAIL')
  })
})
