// `/decide/<link>`: the page of a decision link. GET and HEAD only show, because programs open links in messages: mail
// scanners, previews of chats, browsers that prefetch. POST decides, once. The link itself is the credential, and no
// cookie is read, so another site cannot make a browser decide without having the link.
//
// The link is in the path. Requests are logged with the pattern of the path only, and pages send no referrer.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type LinkClaims, LinkForm } from '../../../access/decision-links/link-form.ts'
import { findLinkHolder, type LinkHolder, linkIdempotencyKey } from '../../../access/decision-links/link-holder.ts'
import { readSignal } from '../../../domain/intake/intake.ts'
import { ServiceError } from '../../../domain/service-error.ts'
import { signalRun } from '../../../runs/signal-run.ts'
import { runSliced } from '../../../runtime/time-slices.ts'
import { findLinkedQuestion, type Given } from '../../../store/runs/linked-question.ts'
import { readDecisions } from '../../routes/includes/open-decisions.ts'
import { RateLimiter } from '../../server/admission/rate-limiter.ts'
import { errorAnswer, isDefect } from '../../server/response/error-answer.ts'
import { html, htmlHeaders, renderPage } from './link-html.ts'
import { isTooLarge, questionPage } from './question-page.ts'
import { answerBody } from './read-answer.ts'

export type DecisionLinkDependencies = Parameters<typeof signalRun>[0] & {
  readonly keyPepper: Buffer
  /** Off: links that were sent before say so. */
  readonly decisionLinks: 'off' | 'on'
}

interface Page {
  readonly status: number
  readonly text: string
}

/** More than a page needs: data for a run is at most 256 KB, and a form writes some characters as three. */
const maxFormBytes = 1_048_576
const requestsPerSecond = 50

export function decisionLinkPage(app: FastifyInstance, dependencies: DecisionLinkDependencies): void {
  const limiter = new RateLimiter('decision link', requestsPerSecond)
  const form = new LinkForm(dependencies.keyPepper)
  const source = { database: dependencies.database, form }

  const answer = async (request: FastifyRequest, reply: FastifyReply, serve: (link: OpenLink) => Promise<Page>) => {
    if (dependencies.decisionLinks === 'off') return send(reply, offPage)
    const claims = form.read((request.params as { link: string }).link)
    if (!claims) return send(reply, notePage(404, 'This link is not valid. Open it exactly as it is in the message.'))
    limiter.take(claims.makerKeyId + claims.runId + linkIdempotencyKey(claims))
    const holder = await findLinkHolder(source, claims)
    if (holder.kind !== 'valid') return send(reply, endPage(holder.kind))
    return send(reply, await serve({ claims, by: holder.by, requestId: request.id }))
  }

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: maxFormBytes },
      (_request, body, done) => done(null, body),
    )
    scope.setErrorHandler((error, _request, reply) => sendError(error, reply))
    scope.get('/decide/:link', (request, reply) => answer(request, reply, (link) => show(dependencies, link)))
    scope.post('/decide/:link', (request, reply) => {
      refuseOtherSites(request)
      return answer(request, reply, (link) => decide(dependencies, link, String(request.body ?? '')))
    })
  })
}

interface OpenLink {
  readonly claims: LinkClaims
  readonly by: Extract<LinkHolder, { kind: 'valid' }>['by']
  readonly requestId: string
}

const questionOf = ({ database }: DecisionLinkDependencies, { claims }: OpenLink) => {
  const { customerId, runId: id, awaitSeq: seq } = claims
  return findLinkedQuestion(database, { customerId, id, seq, idempotencyKey: linkIdempotencyKey(claims) })
}

interface Refused {
  readonly problem: string
  readonly typed: URLSearchParams
}

async function show(dependencies: DecisionLinkDependencies, link: OpenLink, refused?: Refused): Promise<Page> {
  const found = await questionOf(dependencies, link)
  if (!found) return notePage(410, 'The run of this question was deleted.')
  const { title, open, own, answer } = found
  if (own !== undefined) return notePage(410, `This link was used: ${whoOf(link)} ${words[own]}.`)
  if (answer) return notePage(410, `This question was answered otherwise: ${answer.by} ${words[answer.given]}.`)
  if (!open) return notePage(410, 'This question is not open any more: its time is over, or the run has ended.')
  const { decider, expiresAtMs } = link.claims
  const expiresAt = new Date(Math.min(expiresAtMs, open.expiresAt.getTime()))
  const decidesAs = decider.kind === 'person' ? decider.person : `somebody with the role ${decider.role}`
  const { customerId, runId: id, awaitSeq: seq } = link.claims
  const decisions = await readDecisions(dependencies, customerId, [{ id, seq, votes: open.votes }])
  const text = questionPage({ ...open, decisions: decisions.get(id) ?? [], expiresAt, title, decidesAs, ...refused })
  return { status: refused ? 400 : 200, text }
}

/** A link for a role can be opened by others than who answered. */
const whoOf = ({ claims: { decider } }: OpenLink) => (decider.kind === 'person' ? 'you' : decider.role)

const words: Readonly<Record<Given, string>> = {
  approve: 'approved',
  reject: 'rejected',
  submit_input: 'gave an answer',
  deny: 'said that the call is not to be made',
}

async function decide(dependencies: DecisionLinkDependencies, link: OpenLink, formText: string): Promise<Page> {
  const { claims, by, requestId } = link
  const typed = new URLSearchParams(formText)
  const found = await questionOf(dependencies, link)
  if (!found?.open || found.own !== undefined) return show(dependencies, link)
  if (isTooLarge(found.open)) return show(dependencies, link, { problem: 'it was not shown.', typed })
  try {
    const signal = await runSliced(readSignal(answerBody(typed, found.open)))
    await signalRun(dependencies, {
      customerId: claims.customerId,
      runId: claims.runId,
      requestId,
      by,
      action: signal.action,
      payload: signal.payload,
      call: signal.call,
      calls: undefined,
      awaitSeq: claims.awaitSeq,
      idempotencyKey: linkIdempotencyKey(claims),
    })
    return await recordedPage(dependencies, link)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (error.reason === 'APPROVER_REQUIRED' || error.reason === 'REAUTH_REQUIRED')
      return notePage(403, `You may not decide: ${error.message}`)
    if (error.reason === 'SIGNAL_PAYLOAD_INVALID') return show(dependencies, link, { problem: error.message, typed })
    // Another answer came first, by this link or otherwise: the page says which.
    if (error.reason === 'IDEMPOTENCY_KEY_CONFLICT' || error.reason === 'RUN_NOT_AWAITING_INPUT')
      return show(dependencies, link)
    throw error
  }
}

/** What is stored, not what was sent. */
async function recordedPage(dependencies: DecisionLinkDependencies, link: OpenLink): Promise<Page> {
  const found = await questionOf(dependencies, link)
  const others = found?.open ? ' Others have to decide, too.' : ''
  const said = found?.own === undefined ? '' : ` You ${words[found.own]}.`
  return notePage(200, `Your decision is recorded.${said}${others} You can close this page.`)
}

const ends: Readonly<Record<Exclude<LinkHolder['kind'], 'valid'>, Page>> = {
  expired: notePage(410, 'This link has expired. Ask for another one, or sign in to the console.'),
  revoked: notePage(410, 'This link was revoked: the key that made it, or your key, is no longer valid.'),
  suspended: notePage(403, 'The customer of this run is suspended. Nothing can be decided now.'),
  moved: notePage(410, 'The customer of this run is now at another address. Ask for another link.'),
}

const offPage = notePage(
  404,
  'Decision links are switched off at this service. Sign in to the console to decide, or ask who sent you the link.',
)

const endPage = (kind: keyof typeof ends): Page => ends[kind]

function notePage(status: number, text: string): Page {
  return { status, text: renderPage('Decision', html`<p>${text}</p>`) }
}

const send = (reply: FastifyReply, { status, text }: Page) => reply.code(status).headers(htmlHeaders).send(text)

/** Not needed while links are secret. Browsers that say where a form comes from get another lock. */
function refuseOtherSites({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return
  throw new ServiceError('CROSS_SITE_REQUEST', 'The answer must be sent from the page of the link.')
}

function sendError(error: unknown, reply: FastifyReply) {
  // Of the form: Fastify refuses other types and long ones.
  const code = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  if (code >= 400 && code < 500)
    return send(reply, notePage(code, 'The answer cannot be read. Use the form of the page.'))
  if (isDefect(error)) throw error
  const { status, headers, body } = errorAnswer(error, { requestId: reply.request.id })
  return send(reply.headers(headers), notePage(status, body.message))
}
