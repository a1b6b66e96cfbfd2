// The routes of the schedules: the list, the form, and one schedule.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'

export const schedulesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/schedules',
  component: lazyRouteComponent(() => import('./schedules-view.tsx'), 'SchedulesView'),
})

export const createScheduleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/schedules/create',
  component: lazyRouteComponent(() => import('./create-schedule-view.tsx'), 'CreateScheduleView'),
})

interface ScheduleSearch {
  /** Shows the form. */
  readonly edit?: 'yes'
}

const scheduleSearchOf = (search: Record<string, unknown>): ScheduleSearch =>
  search.edit === 'yes' ? { edit: 'yes' } : {}

export const scheduleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/schedules/$scheduleId',
  validateSearch: scheduleSearchOf,
  component: lazyRouteComponent(() => import('./schedule-view.tsx'), 'SchedulePage'),
})
