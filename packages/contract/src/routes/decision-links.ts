// The route that makes decision links.
import { createDecisionLinkSchema, decisionLinkSchema } from '../schemas/decision-links.ts'

export const decisionLinkRoutes = {
  createDecisionLink: {
    method: 'POST',
    path: '/v1/runs/{id}/decision-links',
    scope: 'links:create',
    summary: 'Make a link with which a person or a role decides about a wait',
    idOf: 'run',
    body: createDecisionLinkSchema,
    bodyRequired: true,
    ok: { 200: decisionLinkSchema },
    reasons: [
      'LINK_PAYLOAD_INVALID',
      'REAUTH_REQUIRED',
      'DECISION_LINKS_OFF',
      'APPROVER_REQUIRED',
      'RUN_NOT_FOUND',
      'RUN_NOT_AWAITING_INPUT',
    ],
    extension: true,
  },
} as const
