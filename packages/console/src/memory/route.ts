// The route of the memory page.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'

export const memoryRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/memory',
  component: lazyRouteComponent(() => import('./memory-view.tsx'), 'MemoryView'),
})
