// Lists the tools of an MCP server, page by page, up to limits: on the number of tools, on the time of all pages and on
// the size of all definitions.
import type { Client } from '@modelcontextprotocol/client'
import type { ListedTool } from './to-tool.ts'

export const maxTools = 500
// A page may have few tools, and a buggy server may return pages forever.
const maxPages = 500
const maxBytes = 4 * 1024 * 1024

/** Its message continues the sentence "The server is not connected (…)". */
export class ListTooLarge extends Error {}

export async function listTools(client: Client, { timeout }: { readonly timeout: number }): Promise<ListedTool[]> {
  // Without this check the SDK would print a warning to standard output, which is our log.
  if (client.getServerCapabilities()?.tools === undefined) return []
  const endsAt = performance.now() + timeout
  const tools: ListedTool[] = []
  let cursor: string | undefined
  let bytes = 0
  for (let page = 0; page < maxPages && tools.length < maxTools; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const left = Math.max(1, endsAt - performance.now())
    const listed: { tools: ListedTool[]; nextCursor?: string | undefined } = await client.request(
      { method: 'tools/list', params },
      { timeout: left },
    )
    for (const tool of listed.tools.map(keptFields)) {
      bytes += JSON.stringify(tool).length
      tools.push(tool)
    }
    if (bytes > maxBytes) throw new ListTooLarge(`its list of tools has more than ${maxBytes} bytes`)
    cursor = listed.nextCursor
    if (cursor === undefined) break
  }
  return tools.slice(0, maxTools)
}

/** Icons, metadata and the schema of the output are not used. */
const keptFields = ({ name, title, description, inputSchema, annotations, execution }: ListedTool): ListedTool => ({
  name,
  ...(title !== undefined && { title }),
  ...(description !== undefined && { description }),
  inputSchema,
  ...(annotations !== undefined && { annotations }),
  ...(execution !== undefined && { execution }),
})
