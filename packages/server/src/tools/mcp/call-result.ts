// What a tool of an MCP server gave back, as the agent sees it.
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'

/**
 * Structured content as it is, otherwise the text. Text that happens to be JSON stays text: whether it was meant as such is
 * not ours to guess. Throws what the tool says when it says that it failed.
 */
export function readCallResult({ content, structuredContent, isError }: CallToolResult): unknown {
  const text = content.map(describe).join('\n')
  if (isError === true) throw new Error(text.trim() || 'The tool reported an error without saying why.')
  return structuredContent === undefined ? text : structuredContent
}

/** Images and sound are told of and left out: a model that gets text can make nothing of their bytes. */
function describe(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${bytesOf(block.data)} bytes, left out]`
    case 'resource_link':
      return `[resource ${block.uri}${block.mimeType ? ` ${block.mimeType}` : ''}, not read]`
    case 'resource':
      return describeResource(block.resource)
  }
}

type Resource = Extract<ContentBlock, { type: 'resource' }>['resource']

function describeResource(resource: Resource): string {
  const name = `resource ${resource.uri}${resource.mimeType ? ` ${resource.mimeType}` : ''}`
  return 'text' in resource ? `[${name}]\n${resource.text}` : `[${name}, ${bytesOf(resource.blob)} bytes, left out]`
}

const bytesOf = (base64: string): number => Buffer.byteLength(base64, 'base64')
