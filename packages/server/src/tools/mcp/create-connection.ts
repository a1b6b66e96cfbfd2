// Creates the connection for an MCP server's configuration.
import type { McpServerConfig } from './config.ts'
import type { Connection } from './connection.ts'
import { HttpConnection } from './http-connection.ts'
import { type ProgramReports, StdioTransport } from './stdio-transport.ts'

// In addition to the longest call, so that the limit on requests never ends a call early.
const graceSeconds = 60

/** Does not connect yet. */
export function createConnection({ endpoint, timeoutSeconds }: McpServerConfig, program: ProgramReports): Connection {
  if (endpoint.kind === 'http') return new HttpConnection(endpoint, (timeoutSeconds + graceSeconds) * 1000)
  const transport = new StdioTransport({ ...program, endpoint })
  return {
    transport,
    get closeReason() {
      return transport.exitReason
    },
    end: (reason) => transport.end(reason),
    close: () => transport.close(),
  }
}
