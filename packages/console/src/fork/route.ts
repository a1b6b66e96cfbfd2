// The route of the page that forks a run.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'

interface ForkSearch {
  /** The step that is chosen at first. */
  readonly step?: string
}

export const forkRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$runId/fork',
  validateSearch: ({ step }: Record<string, unknown>): ForkSearch =>
    typeof step === 'string' && step !== '' ? { step } : {},
  component: lazyRouteComponent(() => import('./fork-view.tsx'), 'ForkPage'),
})
