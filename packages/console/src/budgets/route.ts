// The route of the budgets.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'

export const budgetsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/budgets',
  component: lazyRouteComponent(() => import('./budgets-view.tsx'), 'BudgetsView'),
})
