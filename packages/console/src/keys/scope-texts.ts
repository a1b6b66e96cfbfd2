// What each scope allows, in words. A new scope of the contract does not compile without a text.
import type { Scope } from '@runwright/contract'

export const scopeTexts: Readonly<Record<Scope, string>> = {
  'runs:read': 'Read runs and their events, agents and tools',
  'runs:write': 'Create, fork, cancel, retry and resume runs, and answer them',
  'runs:signal': 'Answer runs that wait: approve, reject, submit input',
  'runs:admin': 'Delete runs and memory items',
  'usage:read': 'Read usage and budgets',
  'memory:read': 'Read and export memory',
  'keys:admin': 'Create, rotate and revoke keys, and set budgets',
  'audit:read': 'Read who did what',
  'webhooks:admin': 'Create, rotate, test and delete webhooks, and send messages again',
}
