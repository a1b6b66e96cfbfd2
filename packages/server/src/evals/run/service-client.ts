// The calls that a trial makes to the service: create a run, follow it, answer it, read it.
import type { Event, RunDetail } from '@runwright/contract'
import { Agent, fetch, type Response } from 'undici'
import { sleep } from '../../runtime/backoff.ts'

/** A connection for each request: the service waits for open ones before it stops. */
const dispatcher = new Agent({ pipelining: 0 })

const maxTries = 60

/** The service refused a request; the message is its own. */
export class RequestRefused extends Error {}

interface Ask {
  readonly path: string
  /** With a body it is a POST. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export class ServiceClient {
  readonly #url: string
  readonly #key: string

  constructor(url: string, key: string) {
    this.#url = url
    this.#key = key
  }

  async create(body: object, idempotencyKey: string): Promise<string> {
    const headers = { 'idempotency-key': idempotencyKey }
    const response = await this.#send({ path: '/v1/runs', body, headers })
    return ((await response.json()) as { id: string }).id
  }

  async signal(runId: string, body: object): Promise<void> {
    await (await this.#send({ path: `/v1/runs/${runId}/signal`, body })).text()
  }

  async cancel(runId: string): Promise<void> {
    await (await this.#send({ path: `/v1/runs/${runId}/cancel`, body: {} })).text()
  }

  async read(runId: string): Promise<RunDetail> {
    const response = await this.#send({ path: `/v1/runs/${runId}?include=usage,failure,awaiting_input` })
    return (await response.json()) as RunDetail
  }

  /** The events after `cursor`, as they come. Ends when the service closes the stream. */
  async *events(runId: string, cursor: number, signal: AbortSignal): AsyncGenerator<Event> {
    const { body } = await this.#send({ path: `/v1/runs/${runId}/events/stream?cursor=${cursor}`, signal })
    let text = ''
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (text + chunk).split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) yield* eventsIn(block)
    }
  }

  /** Repeats a request that a busy service puts off: its load says nothing about the agent. */
  async #send(ask: Ask): Promise<Response> {
    for (let tries = 0; ; tries += 1) {
      const response = await this.#fetch(ask)
      if (response.ok) return response
      const { reason_code, message } = (await response.json()) as { reason_code?: string; message?: string }
      const retryAfter = response.headers.get('retry-after')
      if (retryAfter === null || tries === maxTries)
        throw new RequestRefused(`${reason_code ?? response.status}: ${message ?? ''}`)
      await sleep(Number(retryAfter) * 1000, ask.signal)
    }
  }

  #fetch({ path, body, headers = {}, signal }: Ask): Promise<Response> {
    return fetch(`${this.#url}${path}`, {
      dispatcher,
      redirect: 'error',
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  }
}

function* eventsIn(block: string): Generator<Event> {
  const lines = block.split('\n')
  if (!lines.includes('event: run_event')) return
  const data = lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice('data: '.length))
  yield JSON.parse(data.join('\n')) as Event
}
