// Lists the tools of an MCP server, page by page, up to a limit.
import type { Client } from '@modelcontextprotocol/client'
import type { ListedTool } from './to-tool.ts'

const maxTools = 500
// A page may have few tools, and a buggy server may return pages forever.
const maxPages = 500

export async function listTools(client: Client, options: { readonly timeout: number }): Promise<ListedTool[]> {
  // Without this check the SDK would print a warning to standard output, which is our log.
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
