// The links to the pages.
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useWaitingNotifications } from '../inbox/notifications.ts'
import { useWaitingCount } from '../inbox/waiting-count.ts'
import { Icon } from '../parts/controls/icon.tsx'
import { showCountInTitle } from '../parts/layout/use-title.ts'
import { destinations } from './destinations.ts'

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
