// Does the same to several runs, a few at a time, and says for each what became of it.
import { RunwrightError } from '@runwright/client'

export interface BulkResult {
  readonly id: string
  readonly isDone: boolean
  /** What became of it, such as `cancelled`, or why not, as the service says. */
  readonly words: string
}

export interface BulkWork {
  readonly send: (id: string) => Promise<unknown>
  /** The words for a run for which it worked. */
  readonly done: string
  /** Once aborted, no further run is sent. */
  readonly signal?: AbortSignal
}

const atOnce = 4

const resultOf = async (id: string, { send, done }: BulkWork): Promise<BulkResult> => {
  try {
    await send(id)
    return { id, isDone: true, words: done }
  } catch (error) {
    return { id, isDone: false, words: error instanceof RunwrightError ? error.message : String(error) }
  }
}

const notDone = (id: string): BulkResult => ({ id, isDone: false, words: 'not done' })

export const workOnRuns = async (
  ids: readonly string[],
  work: BulkWork,
  onResult: (result: BulkResult) => void,
): Promise<void> => {
  const waiting = [...ids]
  const next = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift())
      onResult(work.signal?.aborted ? notDone(id) : await resultOf(id, work))
  }
  await Promise.all(Array.from({ length: atOnce }, next))
}
