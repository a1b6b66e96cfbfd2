// Secrets of the operator go through everything that a service does, at the most talkative log level and with traces:
// none of them is in the log, in a trace, in a metric, in a table, or in what a customer is told.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/store/postgres/database.ts'
import { dumpTables, findSecrets } from '../support/canaries.ts'
import { cli } from '../support/cli.ts'
import { type Collector, startCollector } from '../support/collector.ts'
import { signIn } from '../support/console-session.ts'
import { freshDatabase } from '../support/database.ts'
import { untilAsked, untilEnded } from '../support/engine.ts'
import { Caller } from '../support/http.ts'
import { type Environment, Fleet, newFolder, type ServiceProcess, urlOf } from '../support/processes.ts'
import { answerWith, Receiver } from '../support/receiver.ts'
import {
  providerFailures,
  startTelltaleMcp,
  startTelltaleProvider,
  type TelltaleServer,
} from '../support/telltale-servers.ts'

const newSecret = (name: string) => `${name}/+${randomBytes(12).toString('hex')}&=%`
/** Filled while the service works: what it issues is secret, too. */
const secrets: Record<string, string> = {
  'the database password': newSecret('database'),
  'the key of the provider': newSecret('sk-provider'),
  'the header of the provider': newSecret('header'),
  'the header of the MCP server': newSecret('mcp-header'),
  'the variable of the MCP server': newSecret('mcp-variable'),
  'the argument of the MCP server': newSecret('mcp-argument'),
  'the header of the collector': newSecret('collector'),
}
const secret = (name: string): string => secrets[name] ?? ''

let folder: string
let fleet: Fleet
let service: ServiceProcess
let database: Database
let collector: Collector
let env: Environment
let databaseUrl: string
let acme: Caller
const closing: (() => Promise<unknown>)[] = []
/** What customers were told. */
const told: [name: string, text: string][] = []

async function keep<Server extends { stop(): Promise<void> }>(starting: Promise<Server>): Promise<Server> {
  const server = await starting
  closing.push(() => server.stop())
  return server
}

/** The password is that of the server of the tests. A server that needs none is given one all the same. */
async function createDatabase(): Promise<string> {
  const fresh = await freshDatabase({ migrated: false })
  database = fresh.database
  const { password } = fresh.connection
  if (typeof password === 'string' && password !== '') secrets['the database password'] = password
  closing.push(() => fresh.drop())
  return urlOf({ ...fresh.connection, password: secret('the database password') })
}

const reference = (name: string) => `\${${name}}`

function writeFiles(provider: TelltaleServer, mcp: TelltaleServer): Record<string, string> {
  folder = mkdtempSync(join(tmpdir(), 'runwright-attack-'))
  const write = (name: string, content: unknown): string => {
    const path = join(folder, name)
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }
  const here = {
    format: 'openai-chat',
    base_url: `${provider.url}/v1`,
    key_env: 'CANARY_KEY',
    headers: { 'x-session': { env: 'CANARY_HEADER' } },
  }
  const telltale = join(import.meta.dirname, '../support/mcp-telltale.mjs')
  const mcpServers = {
    program: {
      command: process.execPath,
      args: [telltale],
      env: { TELLTALE_TOKEN: reference('CANARY_VARIABLE') },
      exposure: [],
    },
    remote: {
      url: `${mcp.url}/mcp`,
      headers: { Authorization: `Bearer ${reference('CANARY_MCP_HEADER')}` },
      exposure: [],
    },
    refusing: { url: `${provider.url}/mcp`, headers: { 'x-api-key': reference('CANARY_MCP_HEADER') } },
    absent: { command: 'no-such-program-anywhere', args: [`--token=${reference('CANARY_TOKEN')}`] },
  }
  write('throws.mjs', throwingTool)
  return {
    RUNWRIGHT_PROVIDERS: write('providers.json', { providers: { here } }),
    RUNWRIGHT_MCP_CONFIG: write('mcp.json', { mcpServers }),
    RUNWRIGHT_TOOLS_DIR: folder,
  }
}

/** Errors as libraries make them: with the request, its headers and the whole input. */
const throwingTool = `
export default {
  name: 'throws',
  description: 'Fails.',
  input: { type: 'object' },
  effect: 'read',
  run: async (input) => {
    const error = Object.assign(new Error('refused ' + JSON.stringify(input)), { config: { headers: input }, input })
    if (!input.late) throw error
    setTimeout(() => Promise.reject(error), 300)
    return 'later'
  },
}
`

beforeAll(async () => {
  collector = await keep(startCollector())
  const provider = await keep(startTelltaleProvider())
  const mcp = await keep(startTelltaleMcp())
  env = {
    ...writeFiles(provider, mcp),
    CANARY_KEY: secret('the key of the provider'),
    CANARY_HEADER: secret('the header of the provider'),
    CANARY_MCP_HEADER: secret('the header of the MCP server'),
    CANARY_VARIABLE: secret('the variable of the MCP server'),
    CANARY_TOKEN: secret('the argument of the MCP server'),
    RUNWRIGHT_LOG_LEVEL: 'trace',
    RUNWRIGHT_METRICS_PORT: '0',
    RUNWRIGHT_MODEL: 'here/gpt-5',
    RUNWRIGHT_PROVIDER_RETRY_SECONDS: '1',
    RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES: 'allow',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${encodeURIComponent(secret('the header of the collector'))}`,
    OTEL_BSP_SCHEDULE_DELAY: '50',
  }
  databaseUrl = await createDatabase()
  fleet = new Fleet(await newFolder(), databaseUrl, env)
  secrets['the API key'] = fleet.key.split(':')[1] ?? ''
  secrets['the encryption key'] = fleet.secrets.RUNWRIGHT_ENCRYPTION_KEY ?? ''
  secrets['the pepper of keys'] = fleet.secrets.RUNWRIGHT_KEY_PEPPER ?? ''
  closing.unshift(() => fleet.close())
  service = await fleet.start('start')
  await database.run({ text: "update api_keys set scopes = scopes || '{webhooks:admin}'" })
  acme = fleet.caller(service)
}, 120_000)

afterAll(async () => {
  for (const close of closing) await close()
  rmSync(folder, { recursive: true, force: true })
})

async function ask(method: string, path: string, body?: unknown, headers = {}) {
  const reply = await acme.send({ method, path, body, headers: { 'content-type': 'application/json', ...headers } })
  told.push([`${method} ${path}`, reply.text])
  return reply
}

/** Plays a run to its end and keeps all that its customer can read of it. */
async function play(body: object): Promise<string> {
  const { id } = await acme.newRun(body)
  const isAsked = (await untilAsked(acme, id)).at(-1)?.type === 'run.awaiting_input'
  if (isAsked) {
    // The question repeats the error of the tool.
    await ask('GET', `/v1/runs/${id}?include=awaiting_input`)
    await ask('POST', `/v1/runs/${id}/signal`, { action: 'submit_input', call: { error: 'It failed.' } })
  }
  told.push([`the events of ${id}`, JSON.stringify(await untilEnded(acme, id))])
  const includes = 'awaiting_input,input,signals,plan,limits,usage,failure,steps'
  const reply = await acme.get(`/v1/runs/${id}?include=${includes}`)
  const detail = reply.status === 200 ? reply : await acme.get(`/v1/runs/${id}?include=plan,usage,failure`)
  told.push([`the run ${id}`, detail.text])
  told.push([`the turns of ${id}`, (await acme.get(`/v1/runs/${id}/turns`)).text])
  return detail.text
}

const step = (tool: string, input: object = {}) => ({
  plan: { steps: [{ id: 'a', tool, input, max_attempts: 1 }] },
})

describe.sequential('secrets', () => {
  test.each(providerFailures)('of a provider that %s', async (failure) => {
    const body = await play({ input: { goal: `the provider ${failure}` }, routing_hint: 'skip_planning' })
    expect(body).toContain('provider')
  })

  test.each(['tell', 'tell_structured', 'fail', 'protocol_error', 'crash'])(
    'of a program that is an MCP server, in %s',
    async (tool) => void (await play(step(`program.${tool}`))),
  )

  test.each(['tell', 'fail', 'break', 'err'])('of a remote MCP server, in %s', async (tool) => {
    expect(await play(step(`remote.${tool}`))).toMatch(/remote/)
  })

  test('in an MCP server that does not start', async () => {
    await play(step('absent.tool'))
    await service.says('"mcpServer":"absent","reason"')
    await service.says('"mcpServer":"refusing","reason"')
  }, 60_000)

  test('that a tool throws back, now and later', async () => {
    const value = newSecret('tagged')
    secrets['a tagged value'] = value
    const body = (late: boolean) => ({
      input: { pin: value },
      sensitivity_tags: [{ path: '$.input.pin', classification: 'credential' }],
      ...step('throws', { pin: '{{input.pin}}', late }),
    })
    await play(body(false))
    await play(body(true))
    await service.says('unhandled promise rejection')
  })

  test('of keys: created, rotated, refused, in the wrong place', async () => {
    const created = (await ask('POST', '/v1/keys', { name: 'second' })).json<{ key: { id: string }; secret: string }>()
    const rotated = (await ask('POST', `/v1/keys/${created.key.id}/rotate`, {})).json<{ secret: string }>()
    told.splice(-2)
    secrets['a new API key'] = created.secret
    secrets['a rotated API key'] = rotated.secret
    const wrong = newSecret('wrong')
    secrets['a wrong API key'] = wrong
    const stranger = new Caller(service.url, `key_fleet:${wrong.replaceAll(/[^\w]/g, '')}`)
    secrets['a wrong API key'] = stranger.key?.split(':')[1] ?? ''
    expect((await stranger.get('/v1/runs')).status).toBe(401)
    expect((await ask('GET', `/v1/runs?api_key=${created.secret}`)).status).toBe(400)
    told.pop()
    await ask('GET', `/v1/${created.secret}`)
    await ask('DELETE', `/v1/keys/${created.key.id}`)
  })

  test('of sessions: signed in, wrong codes, signed out', async () => {
    const browser = await signIn(service.url, fleet.key)
    secrets['a session'] = browser.cookie?.split('=')[1] ?? ''
    expect((await browser.get('/v1/runs')).status).toBe(200)
    const code = randomBytes(32).toString('base64url')
    secrets['a sign-in code'] = code
    expect((await browser.signIn({ code })).status).toBe(401)
    await browser.get(`/console/?code=${code}`)
    await browser.signOut()
  })

  test('of webhooks, whose endpoints fail', async () => {
    const receiver = await keep(new Receiver().start())
    const body = { url: receiver.url, event_types: ['run.created'] }
    const hook = (await ask('POST', '/v1/webhooks', body)).json<{ webhook: { id: string }; secret: string }>()
    const rotated = (await ask('POST', `/v1/webhooks/${hook.webhook.id}/rotate`, {})).json<{ secret: string }>()
    told.splice(-2)
    secrets['the secret of a webhook'] = hook.secret
    secrets['the rotated secret of a webhook'] = rotated.secret
    receiver.answer = answerWith(500, { 'x-debug': 'y' })
    await play(step('calculator', { expression: '1' }))
    await receiver.received.nth(1, () => true)
    await ask('GET', `/v1/webhooks/${hook.webhook.id}/deliveries`)
  })

  test('of the database, when it breaks a statement and all connections', async () => {
    await database.run({ text: 'alter table api_keys rename to hidden_keys' })
    expect((await new Caller(service.url, 'key_other:x').get('/v1/runs')).status).toBe(500)
    await database.run({ text: 'alter table hidden_keys rename to api_keys' })
    await database.run({
      text: `select pg_terminate_backend(pid) from pg_stat_activity where usename like 'canary%' and pid <> pg_backend_pid()`,
    })
    await play(step('calculator', { expression: '2' }))
  })

  test('of commands of the operator', async () => {
    const shell = { ...env, ...fleet.secrets, DATABASE_URL: databaseUrl, PATH: process.env.PATH ?? '' }
    for (const args of [['doctor'], ['doctor', '--json'], ['mcp', 'status'], ['keys', 'list'], ['secrets', 'status']]) {
      const { stdout, stderr } = await cli(args, { ...shell, RUNWRIGHT_URL: service.url, RUNWRIGHT_API_KEY: fleet.key })
      told.push([`runwright ${args.join(' ')}`, stdout + stderr])
      expect(stdout + stderr).not.toBe('')
    }
  }, 120_000)

  test('are nowhere', async () => {
    const url = /"url":"(http:[^"]*metrics)"/.exec(service.output)?.[1] ?? ''
    const metricsText = await (await fetch(url)).text()
    await ask('GET', '/v1/tools')
    await ask('GET', '/health/deps')
    await collector.spans.nth(10, () => true)
    await service.stop()
    const spans = collector.bodies.map((bytes) => bytes.toString()).join('\n')
    expect(metricsText).toContain('runwright_tool_calls_total')
    expect(spans).toContain('execute_tool program.tell')
    expect(service.output).toContain('"level":"debug"')
    const places: [string, string][] = [
      ['log', service.output],
      ['spans', spans],
      ['metrics', metricsText],
      ...told,
      ...(await dumpTables(database)),
    ]
    expect(places.flatMap(([name, text]) => findSecrets(secrets, name, text))).toEqual([])
    expect(Object.values(secrets).filter((value) => value.length < 20)).toEqual([])
  }, 60_000)
})
