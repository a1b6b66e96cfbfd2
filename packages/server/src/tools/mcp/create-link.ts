// Chooses the way to an MCP server.

import type { McpServerConfig } from './config.ts'
import { HttpLink } from './http-link.ts'
import type { Link } from './link.ts'
import { StdioTransport } from './stdio-transport.ts'

// Longer than a call may take, and than a server may take for anything else.
const graceSeconds = 60

/** Does not connect yet. What a program writes to its standard error is heard line by line. */
export function createLink({ reach, timeoutSeconds }: McpServerConfig, hear: (line: string) => void): Link {
  if (reach.kind === 'http') return new HttpLink(reach, (timeoutSeconds + graceSeconds) * 1000)
  const transport = new StdioTransport({ reach, hear })
  return {
    transport,
    get loss() {
      return transport.ending
    },
    close: () => transport.close(),
  }
}
