// A connection to an MCP server, over any transport.
import type { Transport } from '@modelcontextprotocol/client'

export interface Connection {
  readonly transport: Transport
  /** Why the connection ended, if it did and the reason is known. */
  readonly closeReason: string | undefined
  /** Resolves when all its resources are released. */
  close(): Promise<void>
}
