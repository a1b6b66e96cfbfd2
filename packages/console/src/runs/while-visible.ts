// Follows something only while its tab is visible. A browser opens six connections to a host, for all its tabs
// together: streams of hidden tabs would take them from the tab that the user looks at.

const isVisible = () => document.visibilityState === 'visible'

const nextChange = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      document.removeEventListener('visibilitychange', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    document.addEventListener('visibilitychange', done)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })

type Watch<Item> = (signal: AbortSignal) => AsyncIterable<Item>

/** Returns whether the tab was hidden; otherwise there is nothing more to follow. */
async function* watchUntilHidden<Item>(watch: Watch<Item>, signal: AbortSignal): AsyncGenerator<Item, boolean> {
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
  return hidden.signal.aborted
}

/** Opens again when the tab becomes visible. Ends when what it follows ends by itself, or with the signal. */
export async function* whileVisible<Item>(watch: Watch<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  while (!signal.aborted) {
    if (!isVisible()) await nextChange(signal)
    else if (!(yield* watchUntilHidden(watch, signal))) return
  }
}
