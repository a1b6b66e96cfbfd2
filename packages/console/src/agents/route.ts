// The routes of agents and tools, and of trying a tool.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'

export const agentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents',
  component: lazyRouteComponent(() => import('./agents-view.tsx'), 'AgentsView'),
})

export const tryToolRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tools/$toolName',
  component: lazyRouteComponent(() => import('./try-tool-view.tsx'), 'TryToolPage'),
})
