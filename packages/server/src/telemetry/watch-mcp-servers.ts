// Shows which MCP servers this process is connected to.
import type { McpServers } from '../tools/mcp/servers.ts'
import type { Metrics } from './metrics.ts'

export function watchMcpServers(metrics: Metrics, servers: Pick<McpServers, 'states'>): void {
  const { mcpConnected } = metrics.of
  metrics.beforeRead(() => {
    for (const { name, isConnected } of servers.states) mcpConnected.set({ server: name }, isConnected ? 1 : 0)
  })
}
