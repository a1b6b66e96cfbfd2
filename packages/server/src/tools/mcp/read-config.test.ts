import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import { readMcpConfig } from './read-config.ts'

const folder = mkdtempSync(join(tmpdir(), 'runwright-mcp-'))
const path = join(folder, 'mcp.json')
afterAll(() => rmSync(folder, { recursive: true }))
const env = { PATH: '/bin', TOKEN: 'abc', DATABASE_URL: 'postgres://secret' }
const ref = (name: string) => `\${${name}}`

const readText = (text: string) => {
  writeFileSync(path, text)
  return readMcpConfig(path, env)
}
const read = (mcpServers: unknown) => readText(JSON.stringify({ mcpServers }))
const problemOf = (readIt: () => unknown): string => {
  try {
    readIt()
  } catch (error) {
    if (error instanceof SettingsError) return error.message
    throw error
  }
  throw new Error('nothing was refused')
}

describe('a config', () => {
  test('that is not set lists no servers', () => {
    expect(readMcpConfig(undefined, env)).toEqual([])
  })

  test('has programs and addresses as other clients write them', () => {
    const servers = {
      files: { command: 'npx', args: ['-y', 'files'], env: { MODE: 'ro' }, cwd: '/srv' },
      web: { type: 'http', url: 'https://example.com/mcp', headers: { Authorization: `Bearer ${ref('TOKEN')}` } },
    }
    expect(read(servers).map(({ name, endpoint }) => ({ name, endpoint }))).toEqual([
      {
        name: 'files',
        endpoint: {
          kind: 'stdio',
          command: 'npx',
          args: ['-y', 'files'],
          env: { PATH: '/bin', MODE: 'ro' },
          cwd: '/srv',
        },
      },
      {
        name: 'web',
        endpoint: { kind: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer abc' } },
      },
    ])
  })

  test('has defaults for the fields of Runwright', () => {
    expect(read({ a: { command: 'a' } })).toMatchObject([
      { timeoutSeconds: 60, allow: undefined, deny: new Set(), effects: new Map(), policies: new Map(), pin: false },
    ])
  })

  test('has rules for all tools, or for some', () => {
    const ours = {
      allow: ['x', 'y'],
      deny: ['y'],
      timeout_seconds: 0.5,
      effect: 'read',
      policy: { x: 'ask', '*': 'deny' },
      exposure: { x: ['takes_untrusted', 'sends_out'], '*': [] },
      pin: true,
    }
    expect(read({ a: { command: 'a', ...ours } })).toMatchObject([
      {
        timeoutSeconds: 0.5,
        allow: new Set(['x', 'y']),
        deny: new Set(['y']),
        effects: new Map([['*', 'read']]),
        policies: new Map([
          ['x', 'ask'],
          ['*', 'deny'],
        ]),
        exposures: new Map([
          ['x', { readsPrivate: false, takesUntrusted: true, sendsOut: true }],
          ['*', { readsPrivate: false, takesUntrusted: false, sendsOut: false }],
        ]),
        pin: true,
      },
    ])
  })

  test('is filled from the environment in every field of a server', () => {
    const [server] = read({ a: { command: ref('TOKEN'), args: ['-k', `k=${ref('TOKEN')}`], cwd: `/${ref('TOKEN')}` } })
    expect(server?.endpoint).toMatchObject({ command: 'abc', args: ['-k', 'k=abc'], cwd: '/abc' })
    const [web] = read({ a: { url: `https://example.com/?key=${ref('TOKEN')}` } })
    expect(web?.endpoint).toMatchObject({ url: 'https://example.com/?key=abc' })
  })

  test('leaves text that is not a reference unchanged', () => {
    const args = ['$TOKEN', ref('TOKEN:-x'), ref(''), '{TOKEN}']
    expect(read({ a: { command: 'a', args } })[0]?.endpoint).toMatchObject({ args })
  })

  test('skips a disabled server and its references', () => {
    expect(
      read({ a: { command: ref('MISSING'), disabled: true }, b: { command: 'b', disabled: false } }),
    ).toMatchObject([{ name: 'b' }])
  })

  test('can start from the example', () => {
    const example = join(import.meta.dirname, '../../../../../examples/mcp/mcp.json')
    expect(readMcpConfig(example, env)).toMatchObject([{ name: 'everything', effects: new Map([['*', 'read']]) }])
    const servers = Object.values(JSON.parse(readFileSync(example, 'utf8')).mcpServers as Record<string, object>)
    const enabled = servers.map((server, n) => [`server-${n}`, { ...server, disabled: false }])
    const all = { ...env, HOME: '/home/a', TRACKER_TOKEN: 'x' }
    writeFileSync(path, JSON.stringify({ mcpServers: Object.fromEntries(enabled) }))
    expect(readMcpConfig(path, all)).toHaveLength(3)
  })

  test('needs no environment where no connections are made', () => {
    writeFileSync(path, JSON.stringify({ mcpServers: { a: { command: ref('MISSING') } } }))
    expect(readMcpConfig(path)).toMatchObject([{ name: 'a' }])
  })
})

const either = 'mcpServers.a must have either command or url'
const effects = '"read", "idempotent", "once"'
const mistakes: [string, unknown, string][] = [
  ['servers that are a list', [], 'mcpServers must be an object'],
  ['a server that is a text', { a: 'npx' }, either],
  ['a server that is null', { a: null }, either],
  ['a server without command and url', { a: { args: [] } }, either],
  ['a server with both', { a: { command: 'a', url: 'http://a' } }, either],
  ['a name with a dot', { 'a.b': { command: 'a' } }, 'the server name "a.b" must match /^[A-Za-z0-9_-]{1,64}$/'],
  ['an empty name', { '': { command: 'a' } }, 'the server name "" must match /^[A-Za-z0-9_-]{1,64}$/'],
  ['an unknown field', { a: { command: 'a', timeout: 5 } }, 'mcpServers.a.timeout is not a known field'],
  ['headers for a program', { a: { command: 'a', headers: {} } }, 'mcpServers.a.headers is not a known field'],
  ['a command for an address', { a: { url: 'http://a', args: [] } }, 'mcpServers.a.args is not a known field'],
  ['another transport', { a: { command: 'a', type: 'http' } }, 'mcpServers.a.type must be "stdio"'],
  ['an empty command', { a: { command: '' } }, 'mcpServers.a.command must have at least 1 character'],
  ['arguments as a text', { a: { command: 'a', args: '-y' } }, 'mcpServers.a.args must be an array'],
  ['a number as an argument', { a: { command: 'a', args: [1] } }, 'mcpServers.a.args[0] must be a string'],
  ['a number in env', { a: { command: 'a', env: { N: 1 } } }, 'mcpServers.a.env.N must be a string'],
  ['no time', { a: { command: 'a', timeout_seconds: 0 } }, 'mcpServers.a.timeout_seconds must be more than 0'],
  [
    'too much time',
    { a: { command: 'a', timeout_seconds: 1e9 } },
    'mcpServers.a.timeout_seconds must be at most 86400',
  ],
  ['an allow-list of one word', { a: { command: 'a', allow: 'x' } }, 'mcpServers.a.allow must be an array'],
  ['a deny-list with a number', { a: { command: 'a', deny: [1] } }, 'mcpServers.a.deny[0] must be a string'],
  [
    'an unknown policy',
    { a: { command: 'a', policy: { x: 'maybe' } } },
    'mcpServers.a.policy.x must be one of "allow", "ask", "deny"',
  ],
  [
    'an unknown effect',
    { a: { command: 'a', effect: 'twice' } },
    `mcpServers.a.effect must be one of ${effects}, or an object that names tools`,
  ],
  [
    'an unknown exposure',
    { a: { command: 'a', exposure: { x: ['private'] } } },
    'mcpServers.a.exposure.x must be a list of "reads_private", "takes_untrusted", "sends_out"',
  ],
  ['disabled in words', { a: { command: 'a', disabled: 'yes' } }, 'mcpServers.a.disabled must be true or false'],
  [
    'an invalid URL',
    { a: { url: 'example.com' } },
    'mcpServers.a.url must be an http or https URL without a user name or password',
  ],
  [
    'another scheme',
    { a: { url: 'ftp://example.com' } },
    'mcpServers.a.url must be an http or https URL without a user name or password',
  ],
  [
    'a URL with a password',
    { a: { url: 'http://u:p@example.com' } },
    'mcpServers.a.url must be an http or https URL without a user name or password',
  ],
  [
    'a header with a line end',
    { a: { url: 'http://a', headers: { X: 'a\nb' } } },
    'mcpServers.a.headers.X is not a valid HTTP header',
  ],
  [
    'a variable that is not set',
    { a: { command: 'a', env: { KEY: ref('MISSING') } } },
    'mcpServers.a.env.KEY refers to the environment variable MISSING, which is not set',
  ],
  [
    'one in the second argument',
    { a: { command: 'a', args: ['x', ref('MISSING')] } },
    'mcpServers.a.args[1] refers to the environment variable MISSING, which is not set',
  ],
]

describe('a config is refused for', () => {
  test.each(mistakes)('%s', (_, mcpServers, problem) => {
    expect(problemOf(() => read(mcpServers))).toBe(`RUNWRIGHT_MCP_CONFIG: in ${path}, ${problem}.`)
  })

  test('no servers', () => {
    expect(problemOf(() => readText('{}'))).toBe(`RUNWRIGHT_MCP_CONFIG: in ${path}, mcpServers is required.`)
  })

  test('more than servers', () => {
    const text = '{"mcpServers":{},"servers":{}}'
    expect(problemOf(() => readText(text))).toBe(`RUNWRIGHT_MCP_CONFIG: in ${path}, servers is not a known field.`)
  })

  test('invalid JSON, without quoting it', () => {
    const problem = problemOf(() => readText('{"token": sk-secret'))
    expect(problem).toBe(
      `RUNWRIGHT_MCP_CONFIG: in ${path}, the file is not valid JSON: unexpected text at character 11.`,
    )
  })

  test('a file that is not there', () => {
    const missing = join(folder, 'missing.json')
    const problem = problemOf(() => readMcpConfig(missing, env))
    expect(problem).toBe(`RUNWRIGHT_MCP_CONFIG: ${missing} cannot be read: ENOENT.`)
  })
})
