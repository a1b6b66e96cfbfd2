// All commands.
import type { CommandEntry, CommandGroup } from './command-entry.ts'
import { remoteGroups } from './remote-commands.ts'

const store = async () => (await import('./database/open-store.ts')).openStore(process.env)

/** These can also check the database of this installation. */
const checks: Readonly<Record<string, CommandEntry>> = {
  usage: {
    name: 'usage',
    summary: 'show what was used',
    load: async ({ io }) => (await import('./admin/usage.ts')).usageCommand(io, store),
  },
  audit: {
    name: 'audit',
    summary: 'show who did what, and check the record of it',
    load: async ({ io }) => (await import('./admin/audit.ts')).auditCommand(io, store),
  },
}

const { runs, accounts, shell } = remoteGroups

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

export const commandGroups: readonly CommandGroup[] = [
  runs,
  { ...accounts, commands: accounts.commands.map((entry) => checks[entry.name] ?? entry) },
  { heading: 'The service itself:', commands: service },
  { heading: 'Administration, on the database of this installation:', commands: administration },
  shell,
]
