// The way to an MCP server, whichever way that is.
import type { Transport } from '@modelcontextprotocol/client'

export interface Link {
  readonly transport: Transport
  /** Why it is gone, if it is and someone knows. */
  readonly loss: string | undefined
  /** Resolves when nothing of it is left. */
  close(): Promise<void>
}
