// An MCP server whose program ends: the operator reads what it wrote to its standard error in the log, in
// `runwright mcp status` and in `runwright doctor`.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cli } from '../support/cli.ts'
import { type HostedFleet, newFolder, type ServiceProcess, startFleet, until, urlOf } from '../support/processes.ts'

const program = "console.error('Cannot find the file sums.db'); console.error('key-of-the-server'); process.exit(3)"
let hosted: HostedFleet
let service: ServiceProcess
let env: Record<string, string>

beforeAll(async () => {
  const file = join(await newFolder(), 'mcp.json')
  const broken = { command: 'node', args: ['-e', program], env: { SUMS_KEY: 'key-of-the-server' } }
  writeFileSync(file, JSON.stringify({ mcpServers: { broken } }))
  hosted = await startFleet({
    reach: async (connection) => {
      env = { DATABASE_URL: urlOf(connection), RUNWRIGHT_MCP_CONFIG: file }
      return connection
    },
  })
  service = await hosted.fleet.start('start', { RUNWRIGHT_MCP_CONFIG: file })
  Object.assign(env, hosted.fleet.secrets)
})
afterAll(() => hosted.close())

const says = async (...args: string[]) => (await cli(args, env)).stdout

test('the log warns with its last lines, without secrets', async () => {
  await service.says('MCP server not connected')
  const line = service.output.split('\n').find((text) => text.includes('MCP server not connected')) ?? ''
  expect(JSON.parse(line)).toMatchObject({
    level: 'warn',
    mcpServer: 'broken',
    reason: expect.stringContaining('3'),
    stderr: ['Cannot find the file sums.db', '***'],
  })
})

test('mcp status and doctor show it', { timeout: 60_000 }, async () => {
  const shown = /^broken is not connected: .*\n {2}\| Cannot find the file sums\.db$/m
  await until(async () => shown.test(await says('mcp', 'status')), { what: 'the state of the server', every: 500 })
  const examined = await cli(['doctor'], env)
  expect(examined.stdout).toMatch(
    /^PROBLEM {2}MCP {9}broken is not connected: .*\n +\| Cannot find the file sums\.db$/m,
  )
  expect(examined.stdout).not.toContain('key-of-the-server')
  expect(examined.code).toBe(1)
})
