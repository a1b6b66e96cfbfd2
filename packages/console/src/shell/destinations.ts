// The pages, in the order of the navigation.
import type { IconName } from '../parts/controls/icon.tsx'

export const destinations = [
  { name: 'Runs', to: '/runs', icon: 'runs' },
  { name: 'Inbox', to: '/inbox', icon: 'inbox' },
  { name: 'New run', to: '/create', icon: 'create' },
  { name: 'Schedules', to: '/schedules', icon: 'schedules' },
  { name: 'Usage', to: '/usage', icon: 'usage' },
  { name: 'Budgets', to: '/budgets', icon: 'budgets' },
  { name: 'Memory', to: '/memory', icon: 'memory' },
  { name: 'Keys', to: '/keys', icon: 'keys' },
  { name: 'Webhooks', to: '/webhooks', icon: 'webhooks' },
  { name: 'Agents and tools', to: '/agents', icon: 'agents' },
  { name: 'Audit log', to: '/audit', icon: 'audit' },
  { name: 'System', to: '/system', icon: 'system' },
] as const satisfies readonly { readonly name: string; readonly to: string; readonly icon: IconName }[]
