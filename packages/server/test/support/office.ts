// An MCP server with more tools than a model is offered at once, for tests of the search for tools.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callTools } from './providers/script.ts'

export interface Office {
  /** Its entry in a configuration of MCP servers. */
  readonly server: object
  /** The next list has so many tools. */
  setTools(count: number): void
  remove(): void
}

export function newOffice(count = 40): Office {
  const folder = mkdtempSync(join(tmpdir(), 'runwright-office-'))
  const file = join(folder, 'count')
  const setTools = (tools: number) => writeFileSync(file, String(tools))
  setTools(count)
  return {
    server: {
      command: process.execPath,
      args: [join(import.meta.dirname, 'mcp-office.mjs'), file],
      exposure: [],
      policy: { create_invoice: 'ask' },
    },
    setTools,
    remove: () => rmSync(folder, { recursive: true }),
  }
}

export const find = (query: string) => ({ name: 'find_tools', args: { query } })
export const wrapped = (name: string, input: unknown = {}) => ({ name: 'call_tool', args: { name, input } })
export const ask = (...calls: Parameters<typeof callTools>[0]) => callTools(calls)
