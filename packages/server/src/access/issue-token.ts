// Makes a token: signed, not stored. It has at most the scopes of its key, and ends at the latest with the key and with
// the secret that the caller has used.
import { type CreateToken, oneRunScopes, type Scope, wholeCustomerScopes } from '@runwright/contract'
import type { ActorLimits } from '../domain/actor.ts'
import type { Principal } from '../domain/principal.ts'
import { ServiceError } from '../domain/service-error.ts'
import { fromWireId } from '../runtime/ids.ts'
import { findDatabaseTime } from '../store/keys/key-end.ts'
import type { Database } from '../store/postgres/database.ts'
import { findGranterEnd } from './granter.ts'
import type { TokenForm } from './token-form.ts'

interface TokenMaker {
  readonly database: Database
  readonly form: TokenForm
}

export interface IssuedToken {
  readonly token: string
  readonly expiresAt: Date
}

export async function issueToken(
  { database, form }: TokenMaker,
  maker: Principal,
  request: CreateToken,
): Promise<IssuedToken> {
  if (maker.secretHash === undefined) throw new Error('a caller has no secret')
  const limits = limitsOf(request)
  checkScopes(maker.scopes, request.scopes, limits)
  const [end, now] = await Promise.all([findGranterEnd(database, maker), findDatabaseTime(database)])
  const expiresAtMs = Math.min(now.getTime() + request.expires_in * 1_000, end?.getTime() ?? Number.POSITIVE_INFINITY)
  const token = form.write({
    keyId: maker.keyId,
    secretMark: form.markOf(maker.secretHash),
    scopes: request.scopes,
    ...(limits && { limits }),
    ...(request.origin !== undefined && { origin: request.origin }),
    expiresAtMs,
  })
  return { token, expiresAt: new Date(expiresAtMs) }
}

/** Undefined: everything of the customer. */
function limitsOf({ workspace_id, subject_id, run_id }: CreateToken): ActorLimits | undefined {
  const runId = run_id === undefined ? undefined : fromWireId('run', run_id)
  if (run_id !== undefined && runId === undefined) throw invalid('run_id: must be the id of a run.')
  const limits = {
    ...(workspace_id !== undefined && { workspaceId: workspace_id }),
    ...(subject_id !== undefined && { subjectId: subject_id }),
    ...(runId !== undefined && { runId }),
  }
  return Object.keys(limits).length === 0 ? undefined : limits
}

function checkScopes(own: ReadonlySet<Scope>, asked: readonly Scope[], limits: ActorLimits | undefined): void {
  const beyond = asked.filter((scope) => !own.has(scope))
  if (beyond.length > 0)
    throw new ServiceError('SCOPE_DENIED', `The API key cannot grant scopes it does not have: ${beyond.join(', ')}.`)
  const senseless = asked.filter((scope) => limits && !makesSense(scope, limits))
  if (senseless.length > 0) throw invalid(`scopes: a token with this limit cannot have ${senseless.join(', ')}.`)
}

const makesSense = (scope: Scope, { runId }: ActorLimits): boolean =>
  runId === undefined ? !wholeCustomerScopes.includes(scope) : oneRunScopes.includes(scope)

const invalid = (message: string) => new ServiceError('TOKEN_PAYLOAD_INVALID', message)
