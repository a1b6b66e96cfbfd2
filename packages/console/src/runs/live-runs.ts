// A list of runs that the service keeps current, as a store for React. All components that use the same store share one
// connection; it opens with the first and closes after the last.
import type { ListedRun } from '@runwright/client'

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

/** The pages of a list, each as a whole, until the signal ends them. */
export type WatchRuns = (options: WatchOptions) => AsyncIterable<RunPage>

const nothingYet: LiveList = { page: undefined, error: undefined, isReconnecting: false }

export class LiveRuns {
  readonly #watch: WatchRuns
  readonly #listeners = new Set<() => void>()
  #list = nothingYet
  #open: AbortController | undefined

  constructor(watch: WatchRuns) {
    this.#watch = watch
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
    try {
      const onReconnect = () => this.#show({ ...this.#list, isReconnecting: true })
      for await (const page of this.#watch({ signal, onReconnect })) {
        if (signal.aborted) return
        this.#show({ page, error: undefined, isReconnecting: false })
      }
    } catch (error) {
      if (!signal.aborted) this.#show({ ...this.#list, error, isReconnecting: false })
    }
  }

  #show(list: LiveList) {
    this.#list = list
    for (const listener of this.#listeners) listener()
  }
}
