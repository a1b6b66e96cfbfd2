// The route that makes tokens.
import { createTokenSchema, tokenResultSchema } from '../schemas/tokens.ts'

export const tokenRoutes = {
  createToken: {
    method: 'POST',
    path: '/v1/tokens',
    scope: 'tokens:create',
    summary: 'Make a short-lived token for a browser or an end user',
    body: createTokenSchema,
    bodyRequired: true,
    ok: { 200: tokenResultSchema },
    reasons: ['TOKEN_PAYLOAD_INVALID'],
    extension: true,
  },
} as const
