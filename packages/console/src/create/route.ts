// The route of the form that creates a run.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'

export const createRunRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/create',
  component: lazyRouteComponent(() => import('./create-view.tsx'), 'CreateView'),
})
