// POST /v1/tokens: makes a token with the key of the caller.
import { type CreateToken, createTokenSchema, describeIssue } from '@runwright/contract'
import type { Authenticator } from '../../access/authenticator.ts'
import { issueToken } from '../../access/issue-token.ts'
import { parseStrictJson, smallSize } from '../../domain/json/strict-json.ts'
import { ServiceError } from '../../domain/service-error.ts'
import type { Database } from '../../store/postgres/database.ts'
import type { Handlers } from '../server/response/handler.ts'

interface TokenHandlersOptions {
  readonly database: Database
  readonly authenticator: Pick<Authenticator, 'tokenForm'>
}

export const tokenHandlers = ({ database, authenticator }: TokenHandlersOptions): Pick<Handlers, 'createToken'> => ({
  createToken: async ({ principal, body, requestId }) => {
    const request = readBody(body)
    const maker = { database, form: authenticator.tokenForm }
    const { token, expiresAt } = await issueToken(maker, principal, request)
    return {
      headers: { 'cache-control': 'no-store' },
      body: {
        token,
        scopes: request.scopes,
        subject_id: request.subject_id ?? null,
        workspace_id: request.workspace_id ?? null,
        run_id: request.run_id ?? null,
        origin: request.origin ?? null,
        expires_at: expiresAt.toISOString(),
        request_id: requestId,
      },
    }
  },
})

// A valid body has two levels. Up to this depth, a nested value is reported by the name of its field.
const maxDepth = 8

function readBody(text: string | undefined): CreateToken {
  const json = parseStrictJson(text ?? '', { maxDepth, size: smallSize })
  if (!json.ok) throw invalid(json.problem)
  const parsed = createTokenSchema.safeParse(json.value)
  if (parsed.success) return parsed.data
  throw invalid(`${describeIssue({ error: parsed.error, value: json.value })}.`)
}

const invalid = (message: string) => new ServiceError('TOKEN_PAYLOAD_INVALID', message)
