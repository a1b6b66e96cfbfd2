// The route of the comparison of two runs, which are in the URL.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'
import { compareSearchOf } from './compare-search.ts'

export const compareRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/compare',
  validateSearch: compareSearchOf,
  component: lazyRouteComponent(() => import('./compare-view.tsx'), 'CompareView'),
})
