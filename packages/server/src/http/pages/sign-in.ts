// The sign-in of people through an identity provider: `/console/sign-in` leads there, `/console/callback` is where it
// leads back, `/console/sign-in-options` tells the console whether there is one, and `DELETE /console/sessions` signs
// out everywhere. Not part of the API: only the console uses it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { ConsoleSessions } from '../../access/console-sessions.ts'
import { attemptSeconds } from '../../access/sign-in/attempt.ts'
import type { SignInOutcome, SignInProblem, SignIns } from '../../access/sign-in/sign-ins.ts'
import { ServiceError } from '../../domain/service-error.ts'
import type { Logger } from '../../runtime/logger.ts'
import { type Gate, refuseSuspended } from '../server/admission/admission.ts'
import { refuseCrossSite } from '../server/admission/cross-site.ts'
import { cookieIn, noSessionCookies, personCookies, sessionTokenOf } from '../server/admission/session-cookie.ts'
import { identify } from '../server/mount-routes.ts'
import { queryTextOf } from '../server/request/query.ts'
import { errorAnswer, isDefect } from '../server/response/error-answer.ts'
import { ClientLimiter } from './client-limiter.ts'
import { sendPlainPage } from './plain-page.ts'

interface SignInRoutesOptions {
  readonly gate: Gate
  readonly sessions: ConsoleSessions
  readonly logger: Pick<Logger, 'error'>
  /** Left out: people sign in with keys only. */
  readonly signIns?: SignIns | undefined
}

const maxPageLength = 500
/** A page of the console. Whatever it says, it is behind the `#` of an address of this service. */
const pagePattern = /^#\/[\w\-.~!$&'()*+,;=:@%/?]*$/
const startPage = '#/'

export function signInRoutes(app: FastifyInstance, { gate, sessions, signIns, logger }: SignInRoutesOptions): void {
  app.get('/console/sign-in-options', async () => ({ name: signIns?.name ?? null }))
  if (!signIns) return
  const limiter = new ClientLimiter()
  const route = (url: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) =>
    app.get(url, {
      onRequest: async ({ raw }) => limiter.take(raw),
      errorHandler: (error, request, reply) => sendFailure(error, { request, reply, logger }),
      handler,
    })
  route('/console/sign-in', (request, reply) => begin(request, reply, { signIns, sessions }))
  route('/console/callback', (request, reply) => finish(request, reply, signIns))
  app.delete('/console/sessions', async (request, reply) => {
    refuseCrossSite(request.headers)
    const principal = await identify(request, gate)
    refuseSuspended(principal)
    if (!principal.signIn)
      throw new ServiceError('SCOPE_DENIED', 'Only people who have signed in can sign out everywhere.')
    const url = await signIns.endEverywhere(principal)
    if (principal.sessionId) sessions.forget(principal.sessionId)
    return reply.header('set-cookie', noSessionCookies).send({ provider_url: url ?? null })
  })
}

const wishSchema = z.object({
  to: z.string().max(maxPageLength).regex(pagePattern).catch(startPage),
  customer: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/)
    .optional()
    .catch(undefined),
  fresh: z.literal('1').optional().catch(undefined),
})

interface Beginning {
  readonly signIns: SignIns
  readonly sessions: Pick<ConsoleSessions, 'idOf'>
}

async function begin(request: FastifyRequest, reply: FastifyReply, { signIns, sessions }: Beginning) {
  const query = new URLSearchParams(queryTextOf(request.raw.url ?? ''))
  const wish = wishSchema.parse(Object.fromEntries(query))
  const isFresh = wish.fresh === '1'
  const { cookie } = request.headers
  const token = cookie === undefined ? undefined : sessionTokenOf(cookie)
  const begun = await signIns.begin({
    page: wish.to,
    customerId: wish.customer,
    isFresh,
    sessionId: token === undefined ? undefined : sessions.idOf(token),
  })
  if (!begun) return sendProblem(reply, { problem: 'provider_away', again: { isFresh, page: wish.to }, signIns })
  return reply.header('set-cookie', attemptCookie(begun.attempt, signIns)).redirect(begun.url, 302)
}

async function finish(request: FastifyRequest, reply: FastifyReply, signIns: SignIns): Promise<FastifyReply> {
  const { cookie = '' } = request.headers
  const query = queryTextOf(request.raw.url ?? '')
  const outcome = await signIns.finish(cookieIn(cookie, attemptName(signIns)), `?${query}`)
  // An attempt is for one answer, whatever that is.
  const ended = attemptCookie('', signIns)
  if (outcome.kind !== 'signed_in') return sendOutcome(reply.header('set-cookie', ended), outcome, signIns)
  const { token, expiresAt } = outcome.session
  return reply
    .header('set-cookie', [ended, ...personCookies(token, expiresAt, signIns.isSecure)])
    .redirect(`./${outcome.page}`, 302)
}

/** Browsers accept the first name only over https and from this very host. */
const attemptName = ({ isSecure }: SignIns): string => (isSecure ? '__Host-runwright_sign_in' : 'runwright_sign_in')

/** Lax: the provider leads back here, so the browser has to send it then. Without a value, it ends. */
const attemptCookie = (value: string, signIns: SignIns): string =>
  `${attemptName(signIns)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${value === '' ? 0 : attemptSeconds}${
    signIns.isSecure ? '; Secure' : ''
  }`

/** A sign-in that must be fresh stays so: without that, it succeeds, and the question refuses it again. */
const linkTo = ({ page, isFresh }: Failed['again'], customer?: string): string =>
  `sign-in?${new URLSearchParams({ to: page, ...(isFresh && { fresh: '1' }), ...(customer && { customer }) })}`

type Unfinished = Exclude<SignInOutcome, { kind: 'signed_in' }>

function sendOutcome(reply: FastifyReply, outcome: Unfinished, signIns: SignIns): FastifyReply {
  if (outcome.kind === 'failed') return sendProblem(reply, { ...outcome, signIns })
  const { customers, attempt } = outcome
  return sendPlainPage(reply, {
    status: 200,
    title: 'Choose a customer',
    text: 'Your groups allow you to work for several customers. For which one do you want to sign in?',
    links: customers.map((id) => ({ text: id, href: linkTo(attempt, id) })),
  })
}

interface Failed {
  readonly problem: SignInProblem
  readonly again: Extract<SignInOutcome, { kind: 'failed' }>['again']
  readonly signIns: SignIns
}

function sendProblem(reply: FastifyReply, { problem, again, signIns: { name } }: Failed): FastifyReply {
  const { status, text } = problems[problem]
  return sendPlainPage(reply, {
    status,
    title: 'You are not signed in',
    text: text(name),
    links: [
      { text: 'Try again', href: linkTo(again) },
      { text: 'Sign in with an API key', href: `./${startPage}` },
    ],
  })
}

type Problem = { readonly status: number; readonly text: (provider: string) => string }

const problems: Readonly<Record<SignInProblem, Problem>> = {
  attempt_unknown: {
    status: 400,
    text: () =>
      'This browser did not begin this sign-in, it took longer than 10 minutes, or another one was begun meanwhile.',
  },
  declined: { status: 403, text: (name) => `The sign-in was cancelled, or ${name} declined it.` },
  code_refused: { status: 400, text: (name) => `This sign-in was used before, or ${name} has ended it.` },
  answer_invalid: { status: 400, text: (name) => `The answer of ${name} could not be verified.` },
  person_unknown: {
    status: 403,
    text: (name) =>
      `${name} did not say who you are: a claim is missing or cannot be used, or your address is not verified.`,
  },
  no_auth_time: {
    status: 403,
    text: (name) =>
      `${name} did not say when you signed in (auth_time), so the question cannot be answered with this sign-in. ` +
      'The operator of this service has to set that up.',
  },
  auth_time_not_fresh: {
    status: 403,
    text: (name) =>
      `${name} did not ask again who you are: by its clock (auth_time), you signed in more than 5 minutes ago, or later ` +
      'than now.',
  },
  no_access: { status: 403, text: () => 'None of your groups has access. Ask the operator of this service.' },
  revoked: { status: 403, text: () => 'Your access was revoked. Ask an administrator of your customer.' },
  provider_away: { status: 503, text: (name) => `${name} cannot be asked now. The log of the service says why.` },
}

interface Failure {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly logger: Pick<Logger, 'error'>
}

function sendFailure(error: unknown, { request, reply, logger }: Failure): FastifyReply {
  if (isDefect(error)) logger.error({ err: error, request_id: request.id }, 'request failed')
  const { status } = errorAnswer(error, { requestId: request.id, databaseLost: undefined })
  return sendPlainPage(reply, {
    status,
    title: 'You are not signed in',
    text: 'The service could not do this now. Wait a moment and try again.',
    links: [{ text: 'To the console', href: `./${startPage}` }],
  })
}
