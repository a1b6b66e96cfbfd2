// The configuration of an MCP server that changes its tools when it is told to.
import { join } from 'node:path'

export const shapeshifter = (tools: readonly object[]) => ({
  command: process.execPath,
  args: [join(import.meta.dirname, 'mcp-shapeshifter.mjs'), JSON.stringify(tools)],
})
