// The route of one run, with the chosen tab and event in the URL.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'

const tabs = ['steps', 'events', 'turns'] as const

interface RunSearch {
  readonly tab?: (typeof tabs)[number]
  readonly seq?: string
}

const runSearchOf = (search: Record<string, unknown>): RunSearch => {
  const tab = tabs.find((name) => name === search.tab)
  return {
    ...(tab && { tab }),
    ...(typeof search.seq === 'string' && /^[1-9]\d*$/.test(search.seq) && { seq: search.seq }),
  }
}

export const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$runId',
  validateSearch: runSearchOf,
  component: lazyRouteComponent(() => import('./run-view.tsx'), 'RunPage'),
})
