// The route of the memory page, with its filter in the URL.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'
import { memorySearchOf } from './memory-search.ts'

export const memoryRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/memory',
  validateSearch: memorySearchOf,
  component: lazyRouteComponent(() => import('./memory-view.tsx'), 'MemoryView'),
})
