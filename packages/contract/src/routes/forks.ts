// The route that forks a run.

import { createdRunSchema, forkRunSchema } from '../schemas/runs.ts'
import { createReasons } from '../vocabulary/reasons.ts'

export const forkRoutes = {
  forkRun: {
    method: 'POST',
    path: '/v1/runs/{id}/fork',
    scope: 'runs:write',
    summary: 'Create a run that continues another one after a finished step',
    idOf: 'run',
    body: forkRunSchema,
    bodyRequired: true,
    idempotencyKey: 'required',
    ok: { 201: createdRunSchema, 200: createdRunSchema },
    // The plan is that of the run.
    reasons: [...createReasons, 'RUN_NOT_FOUND', 'STEP_NOT_FINISHED', 'RUN_STATE_CONFLICT'],
    extension: true,
  },
} as const
