// Ctrl-C for commands that follow something: the first one stops in order, a second one exits at once. Commands that
// leave something behind stop in order at a SIGTERM too.
import { exitCodes } from '../follow/exit-codes.ts'
import { interrupted } from '../follow/follow-run.ts'

export async function withInterruption<T>(
  work: (interruption: AbortController) => Promise<T>,
  signals: readonly NodeJS.Signals[] = ['SIGINT'],
): Promise<T> {
  const interruption = new AbortController()
  const onSignal = () => {
    if (interruption.signal.aborted) process.exit(exitCodes.interrupted)
    interruption.abort(interrupted)
  }
  for (const signal of signals) process.on(signal, onSignal)
  try {
    return await work(interruption)
  } finally {
    for (const signal of signals) process.off(signal, onSignal)
  }
}
