// The commands that talk to a service over HTTP, and need nothing else of Runwright. The package at `/cli.tgz` has only
// these.
import type { CommandEntry, CommandGroup } from './command-entry.ts'

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
    name: 'link',
    summary: 'make a link with which one person decides about a wait',
    load: async ({ io }) => (await import('./remote/link.ts')).linkCommand(io),
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
    load: async ({ io }) => (await import('./remote/usage.ts')).usageCommand(io),
  },
  {
    name: 'costs',
    summary: 'show what runs have cost, with your prices',
    load: async ({ io }) => (await import('./remote/costs.ts')).costsCommand(io),
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
    name: 'tokens',
    summary: 'make short-lived tokens for browsers and end users',
    load: async ({ io }) => (await import('./remote/tokens.ts')).tokensCommand(io),
  },
  {
    name: 'audit',
    summary: 'show who did what',
    load: async ({ io }) => (await import('./remote/audit.ts')).auditCommand(io),
  },
  {
    name: 'open',
    summary: 'open the web console',
    load: async ({ io }) => (await import('./remote/open.ts')).openCommand(io),
  },
]

const shell: readonly CommandEntry[] = [
  {
    name: 'completion',
    summary: 'print a completion script for bash or zsh',
    load: async ({ io, loadAll }) => (await import('./completion/completion.ts')).completionCommand(io, loadAll),
  },
]

export const remoteGroups = {
  runs: { heading: 'Runs:', commands: runs },
  accounts: { heading: 'What the service knows:', commands: accounts },
  shell: { heading: 'Other:', commands: shell },
} as const satisfies Record<string, CommandGroup>
