// `/console/session`: signs in to the console with an API key or a sign-in code, tells who is signed in, and signs out.
// Not part of the API: only the console uses it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { ConsoleSessions } from '../../access/console-sessions.ts'
import { readAuthorization } from '../../access/parse-authorization.ts'
import { invalidCode, type SignInCodes } from '../../access/sign-in-codes.ts'
import { beyondLimits } from '../../domain/actor-limits.ts'
import type { Principal } from '../../domain/principal.ts'
import { ServiceError } from '../../domain/service-error.ts'
import { type Gate, refuseSuspended } from '../server/admission/admission.ts'
import { refuseCrossSite } from '../server/admission/cross-site.ts'
import { isDirectFromLoopback } from '../server/admission/loopback.ts'
import { noSessionCookies, sessionCookie, sessionTokenOf } from '../server/admission/session-cookie.ts'
import { identify } from '../server/mount-routes.ts'
import { ClientLimiter } from './client-limiter.ts'
import { SignInLimiter } from './sign-in-limiter.ts'

export interface ConsoleSessionOptions {
  readonly gate: Gate
  readonly sessions: ConsoleSessions
  /** Left out: there are no sign-in links. */
  readonly signInCodes?: SignInCodes | undefined
}

const path = '/console/session'
const maxBodyBytes = 4_096
const bodySchema = z.union([z.strictObject({ api_key: z.string() }), z.strictObject({ code: z.string() })])

export function consoleSessionRoutes(app: FastifyInstance, options: ConsoleSessionOptions): void {
  const limiter = new ClientLimiter()
  const signIns = new SignInLimiter()
  app.route({
    method: 'POST',
    url: path,
    bodyLimit: maxBodyBytes,
    // Before the body is read.
    onRequest: async ({ raw }) => {
      refuseCrossSite(raw.headers)
      limiter.take(raw)
    },
    errorHandler: (error) => {
      throw error.code?.startsWith('FST_') ? malformed() : error
    },
    handler: (request, reply) => signIns.guard(request.raw, () => signIn(request, reply, options)),
  })
  app.get(path, (request) => {
    const isSignIn = request.headers.authorization !== undefined
    return isSignIn ? signIns.guard(request.raw, () => whoIs(request, options)) : whoIs(request, options)
  })
  app.delete(path, async (request, reply) => {
    refuseCrossSite(request.headers)
    await endPresented(request, options.sessions)
    return reply.code(204).header('set-cookie', noSessionCookies).send()
  })
}

async function whoIs(request: FastifyRequest, { gate, sessions }: ConsoleSessionOptions) {
  const principal = await identify(request, gate)
  refuseSuspended(principal)
  if (principal.limits) throw beyondLimits(principal.limits)
  return toWire(principal, await sessions.findEnd(principal))
}

async function signIn(request: FastifyRequest, reply: FastifyReply, options: ConsoleSessionOptions) {
  const { gate, sessions } = options
  const authorization = `Bearer ${apiKeyOf(request, options)}`
  const presented = readAuthorization(authorization)
  if (!presented) throw new ServiceError('API_KEY_INVALID', 'The API key must have the form key_id:secret.')
  const principal = await gate.admit({ authorization }, 'read')
  request.principal = principal
  refuseSuspended(principal)
  const { token, expiresAt } = await sessions.open(principal, presented.secret)
  // Otherwise the previous session of this browser would stay open, and no cookie could end it.
  await endPresented(request, sessions)
  const body = toWire(principal, earlier(expiresAt, await sessions.findEnd(principal)))
  return reply
    .code(201)
    .header('set-cookie', sessionCookie(request.raw, token, expiresAt))
    .send(body)
}

function apiKeyOf(request: FastifyRequest, { signInCodes }: ConsoleSessionOptions): string {
  const { data } = bodySchema.safeParse(request.body)
  if (!data) throw malformed()
  if ('api_key' in data) return data.api_key.trim()
  if (!isDirectFromLoopback(request.raw)) {
    throw invalidCode('A sign-in link works only in a browser on the machine of the service. Sign in with an API key.')
  }
  if (!signInCodes) throw invalidCode()
  return signInCodes.take(data.code)
}

async function endPresented({ headers: { cookie } }: FastifyRequest, sessions: ConsoleSessions): Promise<void> {
  const token = cookie === undefined ? undefined : sessionTokenOf(cookie)
  if (token !== undefined) await sessions.end(token)
}

const earlier = (one: Date, other: Date | null): Date => (other !== null && other < one ? other : one)

const toWire = ({ keyId, keyName, customerId, scopes, person, roles, signIn: how }: Principal, end: Date | null) => ({
  key_id: keyId,
  key_name: keyName,
  customer_id: customerId,
  scopes: [...scopes],
  person: person ?? null,
  roles: [...(roles ?? [])],
  signs_in: how !== undefined,
  expires_at: end?.toISOString() ?? null,
})

const malformed = () =>
  new ServiceError('REQUEST_MALFORMED', 'The body must be JSON: { "api_key": "key_id:secret" } or { "code": "…" }.')
