// Cancels several runs, a few at a time, and says for each what became of it.
import { type Run, RunwrightError } from '@runwright/client'

export interface CancelResult {
  readonly id: string
  readonly isCancelled: boolean
  /** What the service says: `cancelled`, or why not. */
  readonly words: string
}

const atOnce = 4

const resultOf = async (id: string, cancel: (id: string) => Promise<Run>): Promise<CancelResult> => {
  try {
    await cancel(id)
    return { id, isCancelled: true, words: 'cancelled' }
  } catch (error) {
    return { id, isCancelled: false, words: error instanceof RunwrightError ? error.message : String(error) }
  }
}

export const cancelRuns = async (
  ids: readonly string[],
  cancel: (id: string) => Promise<Run>,
  onResult: (result: CancelResult) => void,
): Promise<void> => {
  const waiting = [...ids]
  const work = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) onResult(await resultOf(id, cancel))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}
