// The route of the audit log, with its filter in the URL.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'
import { auditSearchOf } from './audit-search.ts'

export const auditRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/audit',
  validateSearch: auditSearchOf,
  component: lazyRouteComponent(() => import('./audit-view.tsx'), 'AuditView'),
})
