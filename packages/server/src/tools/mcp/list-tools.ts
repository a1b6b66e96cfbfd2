// Asks an MCP server for its tools, page by page, and for no more than anyone could use.
import type { Client } from '@modelcontextprotocol/client'
import type { ListedTool } from './to-tool.ts'

export const maxTools = 500
// A page may hold few tools, and a server may never come to an end.
const maxPages = 500

export async function listTools(client: Client, options: { readonly timeout: number }): Promise<ListedTool[]> {
  // Asked all the same, the SDK would print a line to our log's stream.
  if (client.getServerCapabilities()?.tools === undefined) return []
  const tools: ListedTool[] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages && tools.length < maxTools; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const listed = await client.request({ method: 'tools/list', params }, options)
    tools.push(...listed.tools)
    cursor = listed.nextCursor
    if (cursor === undefined) break
  }
  return tools.slice(0, maxTools)
}
