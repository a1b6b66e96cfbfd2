// The routes of the console. Each folder has its own route file, which loads its page when it is first opened.
import { createHashHistory, createRoute, createRouter, redirect } from '@tanstack/react-router'
import { agentsRoute, tryToolRoute } from './agents/route.ts'
import { auditRoute } from './audit/route.ts'
import { budgetsRoute } from './budgets/route.ts'
import { compareRoute } from './compare/route.ts'
import { createRunRoute } from './create/route.ts'
import { decideRoute } from './decide/route.ts'
import { forkRoute } from './fork/route.ts'
import { galleryRoute } from './gallery/route.ts'
import { inboxRoute } from './inbox/route.ts'
import { keysRoute } from './keys/route.ts'
import { LoadingPage } from './loading-page.tsx'
import { memoryRoute } from './memory/route.ts'
import { PageFailure } from './parts/errors/page-failure.tsx'
import { runRoute } from './run/route.ts'
import { runsRoute } from './runs/route.ts'
import { createScheduleRoute, scheduleRoute, schedulesRoute } from './schedules/route.ts'
import { parseSearch, stringifySearch } from './search.ts'
import { signInRoute } from './session/route.ts'
import { rootRoute } from './shell/root-route.ts'
import { systemRoute } from './system/route.ts'
import { usageRoute } from './usage/route.ts'
import { webhooksRoute } from './webhooks/route.ts'

const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/runs', replace: true })
  },
})

const routeTree = rootRoute.addChildren([
  startRoute,
  runsRoute,
  runRoute,
  forkRoute,
  compareRoute,
  inboxRoute,
  decideRoute,
  createRunRoute,
  schedulesRoute,
  createScheduleRoute,
  scheduleRoute,
  usageRoute,
  memoryRoute,
  keysRoute,
  webhooksRoute,
  agentsRoute,
  tryToolRoute,
  auditRoute,
  budgetsRoute,
  systemRoute,
  galleryRoute,
  signInRoute,
])

/** The fragment holds the route: the server never sees it, and it works behind a proxy with a path prefix. */
export const createConsoleRouter = () =>
  createRouter({
    routeTree,
    history: createHashHistory(),
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultPendingMs: 150,
    defaultPendingComponent: LoadingPage,
    defaultErrorComponent: PageFailure,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
