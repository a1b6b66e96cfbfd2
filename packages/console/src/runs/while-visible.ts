// Follows a list only while its tab is visible. A browser opens six connections to a host, for all its tabs together:
// streams of hidden tabs would take them from the tab that the user looks at.

interface Sources<Page> {
  /** The list while the tab is visible. */
  readonly watch: (signal: AbortSignal) => AsyncIterable<Page>
  /** One short request for the list while the tab is hidden. Left out: a hidden tab asks for nothing. */
  readonly read?: ((signal: AbortSignal) => Promise<Page>) | undefined
  readonly readEveryMs?: number
}

const isVisible = () => document.visibilityState === 'visible'

/** Ends when the visibility of the tab changes, after a time, or with the signal. */
const changeOfVisibility = (signal: AbortSignal, timeoutMs?: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = timeoutMs === undefined ? undefined : setTimeout(done, timeoutMs)
    function done() {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    document.addEventListener('visibilitychange', done)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })

async function* watchUntilHidden<Page>({ watch }: Sources<Page>, signal: AbortSignal): AsyncGenerator<Page> {
  const hidden = new AbortController()
  const hide = () => hidden.abort()
  document.addEventListener('visibilitychange', hide)
  try {
    yield* watch(AbortSignal.any([signal, hidden.signal]))
  } catch (error) {
    if (!hidden.signal.aborted) throw error
  } finally {
    document.removeEventListener('visibilitychange', hide)
  }
}

export async function* whileVisible<Page>(sources: Sources<Page>, signal: AbortSignal): AsyncGenerator<Page> {
  const { read, readEveryMs = 15_000 } = sources
  while (!signal.aborted) {
    if (isVisible()) yield* watchUntilHidden(sources, signal)
    else {
      await changeOfVisibility(signal, read && readEveryMs)
      if (read && !isVisible() && !signal.aborted) yield await read(signal)
    }
  }
}
