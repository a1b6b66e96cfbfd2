// The composition root: puts the parts of a process together, starts them in order, and stops them again. No logic.
import { type AgentFolder, AgentSets } from './agents/definitions/agent-sets.ts'
import { type ApiOptions, createApi } from './app/api.ts'
import { Core, type CoreOptions } from './app/core.ts'
import { knownTools } from './app/known-tools.ts'
import { Scheduler } from './app/scheduler.ts'
import { Worker, type WorkerOptions } from './app/worker.ts'
import type { Unfinished } from './engine/engine.ts'
import type { RunLog } from './store/run-log/run-log.ts'
import type { McpServerConfig } from './tools/mcp/config.ts'
import type { OwnTool } from './tools/own/definition.ts'
import { defaultPolicy, type PolicyRules } from './tools/policy/policy.ts'

interface AppOptions extends CoreOptions {
  /** Left out: this process serves no HTTP. */
  readonly api?: ApiOptions
  /** Left out: this process executes no runs. */
  readonly worker?: WorkerOptions
  /** Whose tools runs may use; a process that executes runs connects to them. */
  readonly mcpServers?: readonly McpServerConfig[]
  /** The operator's own tools: every process knows their names, one that executes runs calls them. */
  readonly ownTools?: readonly OwnTool[]
  /**
   * The operator's rules for tools: one that executes runs applies them, the API shows them. Default: each tool's own.
   */
  readonly policy?: PolicyRules
  /** The operator's agents. Left out: there are none. */
  readonly agents?: AgentFolder | undefined
}

export interface App {
  /** The door through which this process changes runs. */
  readonly runLog: RunLog
  /** Resolves with the address it listens on, if it does. */
  start(): Promise<string | undefined>
  /** Reads the agents again, for runs that begin later. Never rejects. */
  reload(): Promise<void>
  /** Reports how many runs it waits for, at first and whenever the number changes. */
  stop(report?: (unfinished: Unfinished) => void): Promise<void>
}

export function createApp(options: AppOptions): App {
  const core = new Core(options)
  const { mcpServers = [], ownTools = [], policy = defaultPolicy } = options
  const agents = new AgentSets({
    folder: options.agents,
    logger: core.logger,
    ...(options.worker && { database: core.database, openModels: options.worker.openModels }),
  })
  const worker = options.worker && new Worker(core, { ...options.worker, mcpServers, ownTools, policy, agents })
  const { tools } = options.worker ?? {}
  const known = knownTools({ ownTools: [...ownTools, ...(tools ?? [])], mcpServers })
  const scheduler = new Scheduler(core, { knownTools: known, agents })
  const installed = { tools, ownTools, mcpServers, policy }
  const api = options.api && createApi(core, { ...options.api, knownTools: known, installed, agents })
  return {
    runLog: core.runLog,
    start: async () => {
      await core.start()
      await agents.start()
      worker?.start()
      scheduler.start()
      return api?.start()
    },
    reload: () => agents.reload(),
    stop: async (report) => {
      // While steps come to their end the API still answers, if only that it is shutting down.
      await Promise.all([api?.shutDown(), worker?.stop(report)])
      await api?.stop()
      await scheduler.stop()
      await core.stop()
    },
  }
}
