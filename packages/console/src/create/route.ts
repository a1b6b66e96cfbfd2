// The route of the form that creates a run, empty or with the request of another run.
import { type RunClass, runClasses } from '@runwright/contract'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'

interface CreateSearch {
  /** The run whose request fills the form. */
  readonly from?: string
  readonly run_class?: RunClass
}

const createSearchOf = (search: Record<string, unknown>): CreateSearch => {
  const runClass = runClasses.find((name) => name === search.run_class)
  return {
    ...(typeof search.from === 'string' && search.from !== '' && { from: search.from }),
    ...(runClass && { run_class: runClass }),
  }
}

export const createRunRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/create',
  validateSearch: createSearchOf,
  component: lazyRouteComponent(() => import('./create-view.tsx'), 'CreateView'),
})
