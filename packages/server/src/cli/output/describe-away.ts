// MCP servers that workers cannot reach, in words: why, and what their programs wrote to their standard error.
import type { WorkerMcpServer } from '../../store/runs/workers.ts'
import { safeLine } from './safe-text.ts'

/** One entry per server, whichever workers miss it. */
export function describeAway(servers: readonly WorkerMcpServer[]): string[] {
  const byName = new Map(servers.filter(({ isConnected }) => !isConnected).map((server) => [server.name, server]))
  return [...byName.values()].map(({ name, problem }) => {
    const reason = problem === undefined ? 'not connected yet' : `not connected: ${safeLine(problem.reason)}`
    return [`${name} is ${reason}.`, ...(problem?.stderr ?? []).map((line) => `  | ${safeLine(line)}`)].join('\n')
  })
}
