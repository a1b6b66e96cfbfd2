import { expect, test } from 'vitest'
import { Metrics } from './metrics.ts'
import { watchMcpServers } from './watch-mcp-servers.ts'

test('shows which MCP servers the process is connected to, as they are when it is asked', async () => {
  const metrics = new Metrics()
  const servers = { states: [{ name: 'mail', isConnected: true, tools: 3 }] }
  watchMcpServers(metrics, servers)
  expect(await metrics.text()).toContain('runwright_mcp_server_connected{server="mail"} 1')
  servers.states = [{ name: 'mail', isConnected: false, tools: 3 }]
  expect(await metrics.text()).toContain('runwright_mcp_server_connected{server="mail"} 0')
})
