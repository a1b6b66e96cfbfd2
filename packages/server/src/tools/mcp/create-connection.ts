// Creates the connection for an MCP server's configuration.
import type { McpServerConfig } from './config.ts'
import type { Connection } from './connection.ts'
import { HttpConnection } from './http-connection.ts'
import { StdioTransport } from './stdio-transport.ts'

// In addition to the longest call, so that the limit on requests never ends a call early.
const graceSeconds = 60

/** Does not connect yet. `onStderrLine` gets what a program writes to its standard error. */
export function createConnection(
  { endpoint, timeoutSeconds }: McpServerConfig,
  onStderrLine: (line: string) => void,
): Connection {
  if (endpoint.kind === 'http') return new HttpConnection(endpoint, (timeoutSeconds + graceSeconds) * 1000)
  const transport = new StdioTransport({ endpoint, onStderrLine })
  return {
    transport,
    get closeReason() {
      return transport.exitReason
    },
    end: (reason) => transport.end(reason),
    close: () => transport.close(),
  }
}
