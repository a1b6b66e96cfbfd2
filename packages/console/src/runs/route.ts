// The route of the list of runs, with its filter in the URL.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'
import { runFilterOf } from './run-filter.ts'

export const runsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs',
  validateSearch: runFilterOf,
  component: lazyRouteComponent(() => import('./runs-view.tsx'), 'RunsView'),
})
