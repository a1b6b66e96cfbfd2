// The route of the usage page, with what it shows in the URL.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'
import { usageSearchOf } from './usage-search.ts'

export const usageRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/usage',
  validateSearch: usageSearchOf,
  component: lazyRouteComponent(() => import('./usage-view.tsx'), 'UsageView'),
})
