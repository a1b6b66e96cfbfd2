// The route of one question of a run: messages to people link to it.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'

export const decideRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/decide/$runId/$awaitSeq',
  component: lazyRouteComponent(() => import('./decide-page.tsx'), 'DecidePage'),
})
