import { beforeEach, expect, test, vi } from 'vitest'
import { keyPepper } from '../../../test/support/access.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { recordDefinitions } from '../../store/installation/tool-definitions.ts'
import { mcpCommand } from './mcp.ts'

let fresh: FreshDatabase
let out: string[]

beforeEach(async () => {
  fresh = await freshDatabase()
  out = []
  for (const stream of ['log', 'error'] as const)
    vi.spyOn(console, stream).mockImplementation((text) => void out.push(text))
  return async () => {
    vi.restoreAllMocks()
    process.exitCode = undefined
    await fresh.drop()
  }
})

async function mcp(...argv: string[]): Promise<string> {
  out.length = 0
  await mcpCommand((work) => work({ database: fresh.database, keyPepper })).parseAsync(argv, { from: 'user' })
  return out.join('\n')
}

async function change(): Promise<void> {
  for (const hash of ['a', 'b'])
    await recordDefinitions(fresh.database, {
      server: 'mail',
      tools: [{ tool: 'send', hash, definition: {} }],
      refusesNew: false,
    })
}

test('status shows the changed tools, or that there are none', async () => {
  expect(await mcp('status')).toBe('No tool has changed.')
  await change()
  expect(await mcp('status')).toMatch(/^SERVER +TOOL +CHANGED AT\nmail +send +2\d{3}-/)
  expect(JSON.parse(await mcp('status', '--json'))).toMatchObject({ changed: [{ server: 'mail', tool: 'send' }] })
})

test('accept accepts them', async () => {
  await change()
  expect(await mcp('accept', 'mail', 'send')).toBe('Accepted: mail.send.')
  expect(await mcp('status')).toBe('No tool has changed.')
})

test('accept refuses a server without changed tools', async () => {
  expect(await mcp('accept', 'mial')).toBe('No changed tool of the MCP server "mial" was found.')
  expect(process.exitCode).toBe(1)
})
