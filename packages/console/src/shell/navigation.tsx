// The links to the pages.
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useWaitingNotifications } from '../inbox/notifications.ts'
import { useWaitingCount } from '../inbox/waiting-count.ts'
import { Icon, type IconName } from '../parts/controls/icon.tsx'
import { showCountInTitle } from '../parts/layout/use-title.ts'

const destinations = [
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

const linkClass =
  'flex items-center gap-2.5 rounded-md px-2 py-1.5 text-muted hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent/12 aria-[current=page]:font-medium aria-[current=page]:text-ink'

export function Navigation() {
  const count = useWaitingCount() ?? 0
  useWaitingNotifications()
  useEffect(() => showCountInTitle(count), [count])
  return (
    <nav aria-label="Pages">
      <ul className="flex flex-col gap-0.5">
        {destinations.map(({ name, to, icon }) => (
          <li key={name}>
            <Link to={to} className={linkClass}>
              <Icon name={icon} />
              {name}
              {to === '/inbox' && count > 0 && <Count count={count} />}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Count({ count }: { readonly count: number }) {
  return (
    <span className="ml-auto rounded-full bg-warn/16 px-2 text-xs leading-5 font-semibold tabular-nums">
      {count}
      <span className="sr-only"> awaiting input</span>
    </span>
  )
}
