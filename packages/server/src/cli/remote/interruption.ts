// Ctrl-C for commands that follow something: the first one stops in order, a second one exits at once.
import { exitCodes } from '../follow/exit-codes.ts'
import { interrupted } from '../follow/follow-run.ts'

export async function withInterruption<T>(work: (interruption: AbortController) => Promise<T>): Promise<T> {
  const interruption = new AbortController()
  const onSignal = () => {
    if (interruption.signal.aborted) process.exit(exitCodes.interrupted)
    interruption.abort(interrupted)
  }
  process.on('SIGINT', onSignal)
  try {
    return await work(interruption)
  } finally {
    process.off('SIGINT', onSignal)
  }
}
