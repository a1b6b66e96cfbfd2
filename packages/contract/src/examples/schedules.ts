// Examples of schedules.
import { createdAt, requestIds, runId, scheduleId } from './ids.ts'

const run = { input: { task: 'Summarize the tickets of yesterday.' }, metadata: {} }
const request_id = requestIds.retry
const listed = {
  id: scheduleId,
  name: 'Daily report',
  cron: '0 9 * * MON-FRI',
  time_zone: 'Europe/Berlin',
  catch_up: 'latest',
  paused: false,
  next_at: '2026-11-16T08:00:00.000Z',
  last_at: '2026-11-13T08:00:00.000Z',
  last_run_id: runId,
  last_error: null,
  missed: 0,
  created_at: createdAt,
  updated_at: createdAt,
}
const refused = {
  ...listed,
  name: null,
  last_at: null,
  last_run_id: null,
  last_error: {
    reason_code: 'INPUT_PLAN_INVALID',
    message: 'plan: step "pay" uses a tool that does not exist.',
    at: '2026-11-13T08:00:00.410Z',
  },
  missed: 1,
}

export const createBodies = {
  daily: {
    summary: 'On working days at 9:00 in Berlin',
    value: { name: 'Daily report', cron: '0 9 * * MON-FRI', time_zone: 'Europe/Berlin', catch_up: 'latest', run },
  },
  hourly: { summary: 'Each hour', value: { cron: '0 * * * *', run } },
}

export const updateBodies = {
  pause: { summary: 'Pause', value: { paused: true } },
  time: { summary: 'Another time', value: { cron: '30 8 * * MON-FRI' } },
  name: { summary: 'Another name', value: { name: 'Morning report' } },
}

export const results = {
  schedule: { summary: 'A schedule', value: { schedule: { ...listed, run }, request_id } },
}

export const deletions = { deleted: { summary: 'Deleted', value: { id: scheduleId, deleted: true, request_id } } }

export const lists = {
  schedules: {
    summary: 'One that works and one whose last run was refused',
    value: { schedules: [listed, refused], next_cursor: null, request_id },
  },
}
