// Opens streams of lists of runs.
import { routes, type StreamRunsQuery } from '@runwright/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../domain/principal.ts'
import { listCallerOf } from '../routes/run-filter.ts'
import type { Gate } from '../server/admission/admission.ts'
import { boundQuery } from '../server/admission/limit-rules.ts'
import { checkBeforeBody, identify, mountRoute } from '../server/mount-routes.ts'
import { parseQuery, queryTextOf } from '../server/request/query.ts'
import type { LiveRunPage } from './live-run-page.ts'
import type { LiveRunPages } from './live-run-pages.ts'
import type { OpenStreams } from './open-streams.ts'
import { RunListStream } from './run-list-stream.ts'
import { startStream } from './sse-response.ts'

interface RunListStreamsOptions {
  readonly pages: LiveRunPages
  readonly open: OpenStreams
}

const tickMs = 100

export class RunListStreams {
  readonly #options: RunListStreamsOptions
  #timer: NodeJS.Timeout | undefined

  constructor(options: RunListStreamsOptions) {
    this.#options = options
  }

  start(): void {
    this.#timer = setInterval(() => this.#options.pages.tick(), tickMs)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  mount(app: FastifyInstance, gate: Gate): void {
    mountRoute(app, 'streamRuns', async (request, reply) => {
      const principal = await identify(request, gate)
      this.#options.open.refuseOverLimit(principal)
      checkBeforeBody(request, principal, 'streamRuns')
      await this.#serve(request, reply, principal)
    })
  }

  async #serve(request: FastifyRequest, reply: FastifyReply, principal: Principal): Promise<void> {
    const asked: StreamRunsQuery = parseQuery(
      routes.streamRuns.query,
      queryTextOf(request.raw.url ?? ''),
      'RUNS_QUERY_PARAMS_INVALID',
    )
    const query = boundQuery('streamRuns', principal, asked)
    const { customerId, token } = principal
    const listed = { customerId, query, caller: listCallerOf(query, principal) }
    const { page, leave } = this.#options.pages.join(listed, token?.limitsId)
    try {
      await page.read()
      this.#open({ request, reply, principal, page, leave })
    } catch (error) {
      leave()
      throw error
    }
  }

  /** Does not wait for anything, so that no change is missed and no limit is exceeded in between. */
  #open({ request, reply, principal, page, leave }: Opening): void {
    // Again: requests that came during the read have passed the first check too.
    this.#options.open.refuseOverLimit(principal)
    reply.hijack()
    // The client left during the read: the response does not emit `close` again.
    if (reply.raw.closed) {
      leave()
      return
    }
    const response = startStream(request, reply)
    response.once('close', leave)
    if (request.method === 'HEAD') {
      response.end()
      return
    }
    const stream = new RunListStream(response, { principal, requestId: request.id })
    const unfollow = page.follow({
      onContent: (content) => stream.show(content),
      onError: (error) => stream.fail(error),
    })
    this.#options.open.add(stream, response)
    response.once('close', unfollow)
    if (page.content) stream.show(page.content)
  }
}

interface Opening {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly principal: Principal
  readonly page: LiveRunPage
  readonly leave: () => void
}
