// Runs: create, read, control and wait for them.

import type { Events } from './events.ts'
import { pagesOf } from './pages.ts'
import { isTerminalStatus } from './run-event.ts'
import { watchRunList } from './run-list-watch.ts'
import { idOf, type RunReference, type WithOutput, withOutput } from './run-output.ts'
import { type CallOptions, pathSegment, type RepeatableCallOptions, type Transport } from './transport.ts'
import type {
  CountRunsQuery,
  CreateDecisionLink,
  CreatedRun,
  CreateRun,
  DecisionLink,
  DeletedRun,
  ForkRun,
  ListedRun,
  ListRunsQuery,
  Plan,
  Run,
  RunCounts,
  RunDetail,
  RunInclude,
  RunList,
  RunStatus,
  RunStep,
  RunsPage,
  Signal,
  SignalResult,
  Turn,
  TurnPage,
} from './wire.ts'

export interface CreateRunRequest extends Omit<CreateRun, 'metadata' | 'plan'> {
  /**
   * Your own data about the run. Default: empty. Read it again with `include: ['input']`, as `input.metadata`:
   * `run.metadata` has only the times of the run.
   */
  readonly metadata?: CreateRun['metadata'] | undefined
  readonly plan?: Plan | undefined
}

export interface GetRunOptions extends CallOptions {
  readonly include?: readonly RunInclude[] | undefined
}

export interface RunListQuery extends Omit<ListRunsQuery, 'status'> {
  /** One status or several. */
  readonly status?: RunStatus | readonly RunStatus[] | undefined
}

export type WatchRunsQuery = Omit<RunListQuery, 'cursor'>

export interface WatchRunsOptions extends CallOptions {
  /** Called when the connection is lost, before the client connects again. Undefined: the service closed it. */
  readonly onReconnect?: ((error: unknown) => void) | undefined
  /** A connection without data for this long counts as dead. Default: 60,000. The service sends data every 15 s. */
  readonly idleTimeoutMs?: number | undefined
}

export interface TurnsOptions extends CallOptions {
  /** The last `seq` you have seen. Default: 0, the beginning. */
  readonly after?: number | undefined
  /** 1 to 200. */
  readonly limit?: number | undefined
}

export class Runs {
  readonly #transport: Transport
  readonly #events: Events

  constructor(transport: Transport, events: Events) {
    this.#transport = transport
    this.#events = events
  }

  /** Creates a run. `create<Output>` says which output is expected, also to `wait`. */
  async create<Output = unknown>(
    request: CreateRunRequest,
    options: RepeatableCallOptions = {},
  ): Promise<WithOutput<CreatedRun, Output>> {
    const body = { ...request, metadata: request.metadata ?? {} }
    return withOutput(await this.#transport.post<CreatedRun>({ ...options, path: '/v1/runs', body }))
  }

  /**
   * Reads a run. Its `metadata` has only `created_at` and `updated_at`: what you sent as metadata is in
   * `include: ['input']`.
   */
  async get<Output = unknown>(
    id: string,
    { include, ...options }: GetRunOptions = {},
  ): Promise<WithOutput<RunDetail, Output>> {
    const path = `/v1/runs/${pathSegment(id)}`
    return withOutput(await this.#transport.call<RunDetail>({ ...options, path, query: { include } }))
  }

  /** Reads what became of each step, in the order of the plan. `task_id` is the one of the events. */
  async steps(id: string, options: CallOptions = {}): Promise<readonly RunStep[]> {
    return (await this.get(id, { ...options, include: ['steps'] })).steps ?? []
  }

  /** Returns one page, newest first. */
  list(query: RunListQuery = {}, options: CallOptions = {}): Promise<RunList> {
    return this.#transport.call({ ...options, path: '/v1/runs', query })
  }

  /** Counts runs by status, among the newest 10,000. */
  count(query: CountRunsQuery = {}, options: CallOptions = {}): Promise<RunCounts> {
    return this.#transport.call({ ...options, path: '/v1/runs/counts', query })
  }

  /** Yields all pages, starting with the one that `query` selects. */
  async *pages(query: RunListQuery = {}, options: CallOptions = {}): AsyncGenerator<RunList, void, undefined> {
    yield* pagesOf((cursor) => this.list({ ...query, ...(cursor !== undefined && { cursor }) }, options))
  }

  /** Yields all runs, over all pages. */
  async *all(query: RunListQuery = {}, options: CallOptions = {}): AsyncGenerator<ListedRun, void, undefined> {
    for await (const page of this.pages(query, options)) yield* page.runs
  }

  /**
   * Yields the first page of the list, and the page as it is after each change. Reconnects for ever; ends when the
   * signal aborts, or with an error that no retry resolves.
   */
  async *watch(
    query: WatchRunsQuery = {},
    { onReconnect, idleTimeoutMs = 60_000, signal, requestId }: WatchRunsOptions = {},
  ): AsyncGenerator<RunsPage, void, undefined> {
    yield* watchRunList({
      open: (both) => this.#transport.open({ requestId, signal: both, path: '/v1/runs/stream', query }),
      signal,
      idleTimeoutMs,
      retryPolicy: this.#transport.retryPolicy,
      onReconnect,
    })
  }

  /** Returns one page of the run's calls to models, oldest first. */
  async turns(id: string, { after, limit, ...options }: TurnsOptions = {}): Promise<TurnPage> {
    return this.#transport.call({ ...options, path: `/v1/runs/${pathSegment(id)}/turns`, query: { after, limit } })
  }

  /** Yields all turns, over all pages. */
  async *allTurns(id: string, options: TurnsOptions = {}): AsyncGenerator<Turn, void, undefined> {
    let { after } = options
    for (;;) {
      const page: TurnPage = await this.turns(id, { ...options, after })
      if (page.turns.length === 0) return
      yield* page.turns
      after = page.next_after
    }
  }

  cancel(id: string, options: RepeatableCallOptions = {}): Promise<Run> {
    return this.#command(id, 'cancel', options)
  }

  retry(id: string, options: RepeatableCallOptions = {}): Promise<Run> {
    return this.#command(id, 'retry', options)
  }

  resume(id: string, options: RepeatableCallOptions = {}): Promise<Run> {
    return this.#command(id, 'resume', options)
  }

  /** Creates a run that keeps what this one had finished when a step ended, and executes the rest. */
  async fork<Output = unknown>(
    id: string,
    request: ForkRun,
    options: RepeatableCallOptions = {},
  ): Promise<WithOutput<CreatedRun, Output>> {
    const path = `/v1/runs/${pathSegment(id)}/fork`
    return withOutput(await this.#transport.post<CreatedRun>({ ...options, path, body: request }))
  }

  /** Deletes a run that has ended. Requires the scope `runs:admin`. */
  async delete(id: string, options: CallOptions = {}): Promise<DeletedRun> {
    return this.#transport.call({ ...options, method: 'DELETE', path: `/v1/runs/${pathSegment(id)}` })
  }

  /** Sends input to a run that awaits it. */
  async signal(id: string, signal: Signal, options: RepeatableCallOptions = {}): Promise<SignalResult> {
    return this.#transport.post({ ...options, path: `/v1/runs/${pathSegment(id)}/signal`, body: signal })
  }

  /**
   * Makes a link with which a person or a role decides about a wait, without signing in. Requires the scope
   * `links:create`. It is not retried: each call makes another link.
   */
  async createDecisionLink(id: string, body: CreateDecisionLink, options: CallOptions = {}): Promise<DecisionLink> {
    const path = `/v1/runs/${pathSegment(id)}/decision-links`
    return this.#transport.call({ ...options, method: 'POST', path, body })
  }

  /** Follows the events of the run until it has ended, then returns it, with its `output`. */
  async wait<Output = unknown>(
    run: RunReference<Output>,
    { include, ...options }: GetRunOptions = {},
  ): Promise<WithOutput<RunDetail, Output>> {
    const id = idOf(run)
    let cursor = 0
    for (;;) {
      const found = await this.get<Output>(id, { ...options, include })
      if (isTerminalStatus(found.status)) return found
      for await (const event of this.#events.stream(id, { ...options, cursor })) cursor = event.seq
    }
  }

  async #command(id: string, verb: 'cancel' | 'retry' | 'resume', options: RepeatableCallOptions): Promise<Run> {
    return this.#transport.post({ ...options, path: `/v1/runs/${pathSegment(id)}/${verb}` })
  }
}
