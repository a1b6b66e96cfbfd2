// The audit route.
import { auditListSchema, auditQuerySchema } from '../schemas/audit.ts'

export const auditRoutes = {
  listAudit: {
    method: 'GET',
    path: '/v1/audit',
    scope: 'audit:read',
    summary: 'List who did what, newest first',
    query: auditQuerySchema,
    ok: { 200: auditListSchema },
    reasons: ['AUDIT_QUERY_PARAMS_INVALID', 'QUERY_TOO_EXPENSIVE'],
    extension: true,
  },
} as const
