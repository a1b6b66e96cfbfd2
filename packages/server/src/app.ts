// The composition root: puts the parts of a process together, starts them in order, and stops them again. No logic.
import { builtInTools as documentedTools } from '@runwright/contract'
import { type ApiOptions, createApi } from './app/api.ts'
import { Core, type CoreOptions } from './app/core.ts'
import { Worker, type WorkerOptions } from './app/worker.ts'
import type { RunLog } from './store/run-log/run-log.ts'
import { type McpServerConfig, mayExist } from './tools/mcp/config.ts'
import type { Tool } from './tools/port/tool.ts'

interface AppOptions extends CoreOptions {
  /** Left out: this process serves no HTTP. */
  readonly api?: ApiOptions
  /** Left out: this process executes no runs. */
  readonly worker?: WorkerOptions
  /** Whose tools runs may use; a process that executes runs connects to them. */
  readonly mcpServers?: readonly McpServerConfig[]
  /** The operator's own tools: every process knows their names, one that executes runs calls them. */
  readonly ownTools?: readonly Tool[]
}

export interface App {
  /** The door through which this process changes runs. */
  readonly runLog: RunLog
  /** Resolves with the address it listens on, if it does. */
  start(): Promise<string | undefined>
  stop(): Promise<void>
}

export function createApp(options: AppOptions): App {
  const core = new Core(options)
  const { mcpServers = [], ownTools = [] } = options
  const worker = options.worker && new Worker(core, { ...options.worker, mcpServers, ownTools })
  const added = [...ownTools, ...(options.worker?.tools ?? [])]
  const listed = new Set<string>([...documentedTools, ...added.map(({ name }) => name)])
  const knownTools = { has: (name: string) => listed.has(name) || mayExist(mcpServers, name) }
  const api = options.api && createApi(core, { ...options.api, knownTools })
  return {
    runLog: core.runLog,
    start: async () => {
      await core.start()
      worker?.start()
      return api?.start()
    },
    stop: async () => {
      // While steps come to their end the API still answers, that it is shutting down.
      api?.shutDown()
      await worker?.stop()
      await api?.stop()
      await core.stop()
    },
  }
}
