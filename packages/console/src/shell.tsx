// The frame around every view: header, navigation and sign-out.
import { useEffect, useRef } from 'react'
import { CreateView } from './create/create-view.tsx'
import { Button } from './parts/button.tsx'
import { Mark } from './parts/mark.tsx'
import { Page } from './parts/page.tsx'
import { type Route, runsHash, useRoute, viewHash } from './route.ts'
import { RunView } from './run/run-view.tsx'
import { RunsView } from './runs/runs-view.tsx'
import { useSession } from './session/session.ts'
import { SystemView } from './system/system-view.tsx'
import { UsageView } from './usage/usage-view.tsx'

const destinations: readonly { readonly name: string; readonly hash: string; readonly views: Route['view'][] }[] = [
  { name: 'Runs', hash: runsHash(), views: ['runs', 'run'] },
  { name: 'New run', hash: viewHash('create'), views: ['create'] },
  { name: 'Usage', hash: viewHash('usage'), views: ['usage'] },
  { name: 'System', hash: viewHash('system'), views: ['system'] },
]

function View({ route }: { readonly route: Route }) {
  switch (route.view) {
    case 'runs':
      return <RunsView filter={route.filter} />
    case 'run':
      return <RunView key={route.id} id={route.id} />
    case 'create':
      return <CreateView />
    case 'usage':
      return <UsageView />
    case 'system':
      return <SystemView />
    case 'unknown':
      return (
        <Page title="Page not found">
          <p>
            This URL does not belong to a page. <a href={runsHash()}>Go to the runs.</a>
          </p>
        </Page>
      )
  }
}

/** Scrolls to the top and moves the focus to the content when the view changes, but not on the first load. */
const useFocusOnNewView = (place: string) => {
  const main = useRef<HTMLElement>(null)
  const last = useRef(place)
  useEffect(() => {
    if (last.current === place) return
    last.current = place
    window.scrollTo(0, 0)
    main.current?.focus({ preventScroll: true })
  }, [place])
  return main
}

export function Shell() {
  const route = useRoute()
  const main = useFocusOnNewView(route.view === 'run' ? route.id : route.view)
  return (
    <div className="mx-auto flex min-h-dvh max-w-6xl flex-col px-4">
      <button
        type="button"
        onClick={() => main.current?.focus()}
        className="sr-only focus:not-sr-only focus:my-2 focus:self-start"
      >
        Skip to content
      </button>
      <Header current={route.view} />
      <main ref={main} tabIndex={-1} className="flex-1 py-5 outline-none">
        <View route={route} />
      </main>
      <footer className="border-t border-line py-3 text-sm text-muted">
        <a href="../docs" className="underline">
          API documentation
        </a>
      </footer>
    </div>
  )
}

function Header({ current }: { readonly current: Route['view'] }) {
  const { signOut } = useSession()
  return (
    <header className="flex flex-wrap items-center gap-x-5 gap-y-2 border-b border-line py-3">
      <a href={runsHash()} className="flex items-center gap-2.5 font-semibold">
        <Mark /> Runwright
      </a>
      <nav aria-label="Views" className="order-last w-full sm:order-none sm:w-auto sm:flex-1">
        <ul className="flex flex-wrap max-sm:-mx-2.5">
          {destinations.map(({ name, hash, views }) => (
            <li key={name}>
              <a
                href={hash}
                aria-current={views.includes(current) ? 'page' : undefined}
                className="block rounded-md px-2.5 py-1.5 text-muted hover:text-ink aria-[current=page]:bg-accent/12 aria-[current=page]:font-medium aria-[current=page]:text-ink"
              >
                {name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <Button className="ml-auto" onClick={() => signOut()}>
        Sign out
      </Button>
    </header>
  )
}
