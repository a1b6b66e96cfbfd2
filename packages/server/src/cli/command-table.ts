// All commands. Each is loaded on demand, so that one command does not wait for the code of the others.
import type { Command } from 'commander'
import type { Io } from './output/io.ts'

export interface LoadContext {
  readonly io: Io
  /** The program with all its commands. */
  readonly loadAll: () => Promise<Command>
}

export interface CommandEntry {
  readonly name: string
  /** For the list of all commands. */
  readonly summary: string
  readonly load: (context: LoadContext) => Promise<Command>
}

interface CommandGroup {
  readonly heading: string
  readonly commands: readonly CommandEntry[]
}

const store = async () => (await import('./database/open-store.ts')).openStore(process.env)

const runs: readonly CommandEntry[] = [
  {
    name: 'run',
    summary: 'create a run and follow it',
    load: async ({ io }) => (await import('./remote/run.ts')).runCommand(io),
  },
  {
    name: 'watch',
    summary: 'follow a run to its end',
    load: async ({ io }) => (await import('./remote/watch.ts')).watchCommand(io),
  },
  {
    name: 'list',
    summary: 'list runs',
    load: async ({ io }) => (await import('./remote/list.ts')).listCommand(io),
  },
  {
    name: 'get',
    summary: 'show a run',
    load: async ({ io }) => (await import('./remote/get.ts')).getCommand(io),
  },
  {
    name: 'signal',
    summary: 'answer a run that waits: approve, reject or submit input',
    load: async ({ io }) => (await import('./remote/signal.ts')).signalCommand(io),
  },
  {
    name: 'cancel',
    summary: 'cancel a run',
    load: async ({ io }) => (await import('./remote/change.ts')).changeCommand(io, 'cancel'),
  },
  {
    name: 'retry',
    summary: 'retry a run that has failed',
    load: async ({ io }) => (await import('./remote/change.ts')).changeCommand(io, 'retry'),
  },
  {
    name: 'resume',
    summary: 'resume a run that has stalled',
    load: async ({ io }) => (await import('./remote/change.ts')).changeCommand(io, 'resume'),
  },
  {
    name: 'fork',
    summary: 'create a run that continues another one after a finished step',
    load: async ({ io }) => (await import('./remote/fork.ts')).forkCommand(io),
  },
  {
    name: 'events',
    summary: 'print the events of a run',
    load: async ({ io }) => (await import('./remote/events.ts')).eventsCommand(io),
  },
]

const accounts: readonly CommandEntry[] = [
  {
    name: 'usage',
    summary: 'show what was used',
    load: async ({ io }) => (await import('./admin/usage.ts')).usageCommand(io, store),
  },
  {
    name: 'memory',
    summary: 'show what runs have remembered',
    load: async ({ io }) => (await import('./remote/memory.ts')).memoryCommand(io),
  },
  {
    name: 'agents',
    summary: 'list the agents that a run can use',
    load: async ({ io }) => (await import('./remote/agents.ts')).agentsCommand(io),
  },
  {
    name: 'tools',
    summary: 'list the tools that runs can call',
    load: async ({ io }) => (await import('./remote/tools.ts')).toolsCommand(io),
  },
  {
    name: 'schedules',
    summary: 'list and change schedules, which create runs at set times',
    load: async ({ io }) => (await import('./remote/schedules.ts')).schedulesCommand(io),
  },
  {
    name: 'webhooks',
    summary: 'list and change webhooks, and receive their messages',
    load: async ({ io }) => (await import('./remote/webhooks.ts')).webhooksCommand(io),
  },
  {
    name: 'audit',
    summary: 'show who did what, and check the record of it',
    load: async ({ io }) => (await import('./admin/audit.ts')).auditCommand(io, store),
  },
  {
    name: 'open',
    summary: 'open the web console',
    load: async ({ io }) => (await import('./remote/open.ts')).openCommand(io),
  },
]

const service: readonly CommandEntry[] = [
  {
    name: 'start',
    summary: 'serve the API and execute runs',
    load: async () => (await import('./serve/services.ts')).serviceCommand('start'),
  },
  {
    name: 'api',
    summary: 'serve the API only',
    load: async () => (await import('./serve/services.ts')).serviceCommand('api'),
  },
  {
    name: 'worker',
    summary: 'execute runs only',
    load: async () => (await import('./serve/services.ts')).serviceCommand('worker'),
  },
  {
    name: 'gate',
    summary: 'pass requests on to several cells',
    load: async () => (await import('./serve/services.ts')).gateCommand(),
  },
  {
    name: 'migrate',
    summary: 'create or upgrade the database',
    load: async ({ io }) => (await import('./database/migrate.ts')).migrateCommand(io, process.env),
  },
  {
    name: 'doctor',
    summary: 'check that this installation works',
    load: async () => (await import('./doctor/doctor.ts')).doctorCommand(process.env),
  },
]

const administration: readonly CommandEntry[] = [
  {
    name: 'customers',
    summary: 'list, change, export and erase customers',
    load: async () => (await import('./admin/customers.ts')).customersCommand(await store()),
  },
  {
    name: 'subjects',
    summary: 'export and erase the data of a subject',
    load: async () => (await import('./admin/subjects.ts')).subjectsCommand(await store()),
  },
  {
    name: 'keys',
    summary: 'list and change API keys',
    load: async ({ io }) => (await import('./admin/keys.ts')).keysCommand(await store(), io),
  },
  {
    name: 'cells',
    summary: 'list cells and move customers between them',
    load: async ({ io }) => (await import('./admin/cells.ts')).cellsCommand(io, process.env),
  },
  {
    name: 'mcp',
    summary: 'accept changed tools of MCP servers',
    load: async () => (await import('./admin/mcp.ts')).mcpCommand(await store()),
  },
  {
    name: 'secrets',
    summary: 'show and complete a change of the encryption key',
    load: async () => (await import('./admin/secrets.ts')).secretsCommand(await store()),
  },
  {
    name: 'replay',
    summary: 'execute an ended run again and show the first difference',
    load: async () => (await import('./admin/replay.ts')).replayCommand(await store()),
  },
  {
    name: 'eval',
    summary: 'run evaluation cases',
    load: async () => (await import('./eval/eval.ts')).evalCommand(),
  },
]

const shell: readonly CommandEntry[] = [
  {
    name: 'completion',
    summary: 'print a completion script for bash or zsh',
    load: async ({ io, loadAll }) => (await import('./completion/completion.ts')).completionCommand(io, loadAll),
  },
]

export const commandGroups: readonly CommandGroup[] = [
  { heading: 'Runs:', commands: runs },
  { heading: 'What the service knows:', commands: accounts },
  { heading: 'The service itself:', commands: service },
  { heading: 'Administration, on the database of this installation:', commands: administration },
  { heading: 'Other:', commands: shell },
]
