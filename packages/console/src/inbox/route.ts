// The route of the inbox.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'
import { inboxSearchOf } from './inbox-search.ts'

export const inboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/inbox',
  validateSearch: inboxSearchOf,
  component: lazyRouteComponent(() => import('./inbox-view.tsx'), 'InboxView'),
})
