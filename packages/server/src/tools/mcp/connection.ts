// A connection to an MCP server, over any transport.
import type { Transport } from '@modelcontextprotocol/client'

export interface Connection {
  readonly transport: Transport
  /** Why the connection ended, if it did and the reason is known. */
  readonly closeReason: string | undefined
  /** Ends it from our side, for a reason that is shown. */
  end(reason: string): void
  /** Resolves when all its resources are released. */
  close(): Promise<void>
}
