// The route of one run, with the chosen tab, step, attempt, turn and event in the URL.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'
import { runSearchOf } from './run-search.ts'

export const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$runId',
  validateSearch: runSearchOf,
  component: lazyRouteComponent(() => import('./run-view.tsx'), 'RunPage'),
})
