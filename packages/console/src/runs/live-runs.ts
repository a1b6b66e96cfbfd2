// A list of runs that the service keeps current, as a store for React. All components that use the same store share one
// connection; it opens with the first and closes after the last. It reconnects for ever: only a refusal of the service
// ends it.
import { type ListedRun, RunwrightError } from '@runwright/client'
import { pause } from '../parts/pause.ts'
import { type IsThere, SilenceWatch } from '../parts/silence-watch.ts'

export interface RunPage {
  readonly runs: readonly ListedRun[]
  readonly next_cursor: string | null
}

export interface LiveList {
  /** Undefined until the first page has arrived. */
  readonly page: RunPage | undefined
  /** The service refused the list. Lost connections are no errors: the list reconnects by itself. */
  readonly error: unknown
  /** The connection is lost: the page is as it was then. */
  readonly isReconnecting: boolean
}

interface WatchOptions {
  readonly signal: AbortSignal
  readonly onReconnect: () => void
}

export interface RunListSource {
  /** The pages of a list, each as a whole, until the signal ends them. */
  readonly watch: (options: WatchOptions) => AsyncIterable<RunPage>
  /** While the list is silent. Without it, silence means nothing. */
  readonly isThere?: IsThere
}

const nothingYet: LiveList = { page: undefined, error: undefined, isReconnecting: false }
const reconnectDelayMs = 1_000

const finalStatuses: ReadonlySet<number | undefined> = new Set([401, 403, 404])

/** The service gives a reason for what it refuses. Any other answer may be that of a proxy on the way, and passes. */
const isRefusal = (error: unknown) =>
  error instanceof RunwrightError && (finalStatuses.has(error.status) || error.reasonCode !== undefined)

export class LiveRuns {
  readonly #source: RunListSource
  readonly #listeners = new Set<() => void>()
  #list = nothingYet
  #open: AbortController | undefined

  constructor(source: RunListSource) {
    this.#source = source
  }

  readonly snapshot = (): LiveList => this.#list

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (!this.#open) this.start()
    return () => {
      this.#listeners.delete(listener)
      // A moment later, so that going from one page to another does not close and open the connection.
      queueMicrotask(() => this.#listeners.size === 0 && this.#stop())
    }
  }

  /** Opens the list, again if it was refused. */
  readonly start = (): void => {
    this.#stop()
    this.#open = new AbortController()
    void this.#follow(this.#open.signal)
  }

  #stop() {
    this.#open?.abort()
    this.#open = undefined
  }

  async #follow(signal: AbortSignal) {
    let error = await this.#read(signal)
    while (error !== undefined && !signal.aborted) {
      if (isRefusal(error)) return this.#show({ ...this.#list, error, isReconnecting: false })
      this.#show({ ...this.#list, isReconnecting: true })
      await pause(reconnectDelayMs, signal)
      error = signal.aborted ? undefined : await this.#read(signal)
    }
  }

  /** Returns the error that ended the list. */
  async #read(signal: AbortSignal): Promise<unknown> {
    const own = new AbortController()
    const both = AbortSignal.any([signal, own.signal])
    const silence = new SilenceWatch(own, this.#source.isThere)
    try {
      const onReconnect = () => this.#show({ ...this.#list, isReconnecting: true })
      for await (const page of this.#source.watch({ signal: both, onReconnect })) {
        if (both.aborted) break
        silence.heard()
        this.#show({ page, error: undefined, isReconnecting: false })
      }
      return own.signal.aborted ? own.signal.reason : undefined
    } catch (error) {
      return own.signal.aborted ? own.signal.reason : error
    } finally {
      silence.stop()
      own.abort()
    }
  }

  #show(list: LiveList) {
    this.#list = list
    for (const listener of this.#listeners) listener()
  }
}
