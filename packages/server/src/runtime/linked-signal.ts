// A signal that aborts with any of several others, until it is released. With `AbortSignal.any`, a listener that is
// never removed, such as that of a connection, keeps the signal in memory for as long as one of the others exists: each
// message to a webhook left about 10 kB behind.

interface LinkedSignal {
  readonly signal: AbortSignal
  /** Must be called when the work that uses the signal has ended. */
  release(): void
}

export function linkSignals(...sources: readonly AbortSignal[]): LinkedSignal {
  const controller = new AbortController()
  const listeners = sources.map((source) => {
    const abort = () => controller.abort(source.reason)
    if (source.aborted) abort()
    else source.addEventListener('abort', abort, { once: true })
    return () => source.removeEventListener('abort', abort)
  })
  const release = () => {
    for (const remove of listeners) remove()
  }
  return { signal: controller.signal, release }
}
