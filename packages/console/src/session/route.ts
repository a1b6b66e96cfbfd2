// `#/sign-in`. Without a session, the sign-in page is shown for every URL; with one, this leads to the runs.
import { createRoute, redirect } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  beforeLoad: () => {
    throw redirect({ to: '/runs', replace: true })
  },
})
