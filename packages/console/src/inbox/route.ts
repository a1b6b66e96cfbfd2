// The route of the inbox. The URL names the run that is shown, and which of its questions.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'

export interface InboxSearch {
  readonly run?: string
  /** The `seq` of the wait. Left out: the one that is open. */
  readonly seq?: number
}

const inboxSearchOf = ({ run, seq }: Record<string, unknown>): InboxSearch => {
  if (typeof run !== 'string' || run === '') return {}
  return Number.isSafeInteger(Number(seq)) ? { run, seq: Number(seq) } : { run }
}

export const inboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/inbox',
  validateSearch: inboxSearchOf,
  component: lazyRouteComponent(() => import('./inbox-view.tsx'), 'InboxView'),
})
