// Converts the result of an MCP tool call to the output that the agent sees.
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'

/** The tool itself reports an error. */
export class ToolReportedError extends Error {}

/**
 * Returns structured content unchanged, otherwise the text. Text that happens to be JSON stays text, because it may not
 * be meant as JSON. Throws the tool's text when the tool reports an error.
 */
export function readCallResult({ content, structuredContent, isError }: CallToolResult): unknown {
  const text = content.map(describe).join('\n')
  if (isError === true) throw new ToolReportedError(text.trim() || 'The tool failed without an error message.')
  return structuredContent === undefined ? text : structuredContent
}

/** Replaces images and audio with a note: a model that reads text cannot use their bytes. */
function describe(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${bytesOf(block.data)} bytes, omitted]`
    case 'resource_link':
      return `[resource ${block.uri}${block.mimeType ? ` ${block.mimeType}` : ''}, not fetched]`
    case 'resource':
      return describeResource(block.resource)
  }
}

type Resource = Extract<ContentBlock, { type: 'resource' }>['resource']

function describeResource(resource: Resource): string {
  const name = `resource ${resource.uri}${resource.mimeType ? ` ${resource.mimeType}` : ''}`
  return 'text' in resource ? `[${name}]\n${resource.text}` : `[${name}, ${bytesOf(resource.blob)} bytes, omitted]`
}

const bytesOf = (base64: string): number => Buffer.byteLength(base64, 'base64')
