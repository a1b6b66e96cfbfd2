// All commands. Each is loaded on demand, so that one command does not wait for the code of the others.
import type { Command } from 'commander'
import type { Io } from './output/io.ts'

export interface CommandEntry {
  readonly name: string
  /** For the list of all commands. */
  readonly summary: string
  readonly load: (io: Io) => Promise<Command>
}

export interface CommandGroup {
  readonly heading: string
  readonly commands: readonly CommandEntry[]
}

const store = async () => (await import('./open-store.ts')).openStore(process.env)

export const commandGroups: readonly CommandGroup[] = [
  {
    heading: 'Runs:',
    commands: [
      {
        name: 'run',
        summary: 'create a run and follow it',
        load: async (io) => (await import('./remote/run.ts')).runCommand(io),
      },
      {
        name: 'watch',
        summary: 'follow a run to its end',
        load: async (io) => (await import('./remote/watch.ts')).watchCommand(io),
      },
    ],
  },
  {
    heading: 'The service:',
    commands: [
      {
        name: 'start',
        summary: 'serve the API and execute runs',
        load: async () => (await import('./services.ts')).serviceCommand('start'),
      },
      {
        name: 'api',
        summary: 'serve the API only',
        load: async () => (await import('./services.ts')).serviceCommand('api'),
      },
      {
        name: 'worker',
        summary: 'execute runs only',
        load: async () => (await import('./services.ts')).serviceCommand('worker'),
      },
      {
        name: 'doctor',
        summary: 'check that this installation works',
        load: async () => (await import('./doctor.ts')).doctorCommand(process.env),
      },
    ],
  },
  {
    heading: 'Administration, on the database of this installation:',
    commands: [
      {
        name: 'customers',
        summary: 'list and change customers',
        load: async () => (await import('./customers.ts')).customersCommand(await store()),
      },
      {
        name: 'keys',
        summary: 'list and change API keys',
        load: async () => (await import('./keys.ts')).keysCommand(await store()),
      },
      {
        name: 'mcp',
        summary: 'accept changed tools of MCP servers',
        load: async () => (await import('./mcp.ts')).mcpCommand(await store()),
      },
      {
        name: 'secrets',
        summary: 'show and complete a change of the encryption key',
        load: async () => (await import('./secrets.ts')).secretsCommand(await store()),
      },
      {
        name: 'usage',
        summary: 'check the stored usage totals',
        load: async () => (await import('./usage.ts')).usageCommand(await store()),
      },
      {
        name: 'replay',
        summary: 'execute an ended run again and show the first difference',
        load: async () => (await import('./replay.ts')).replayCommand(await store()),
      },
      {
        name: 'eval',
        summary: 'run evaluation cases',
        load: async () => (await import('./eval.ts')).evalCommand(),
      },
    ],
  },
]
