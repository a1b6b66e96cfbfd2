// The first signal shuts the service down gracefully and says what it waits for. A second one exits at once.
import type { Unfinished } from '../../engine/engine.ts'

type Stop = (report: (unfinished: Unfinished) => void) => Promise<void>

/** npm forwards a Ctrl-C that the terminal has sent to this process already: one press arrives as two signals. */
const npmRepeatsWithinMs = 500

/**
 * A process manager signals the whole group, and npm and its shell forward theirs when they get to it, so under npm
 * any number of SIGTERMs can be one. A process manager that cannot wait kills; a person presses Ctrl-C.
 */
const isCopy = (signal: NodeJS.Signals, afterMs: number): boolean =>
  signal === 'SIGTERM' || afterMs <= npmRepeatsWithinMs

const allSignals = ['SIGINT', 'SIGTERM'] as const

export function stopOnSignal(
  stop: Stop,
  die: (error: unknown) => never,
  signals: readonly NodeJS.Signals[] = allSignals,
): void {
  const begin = (signal: NodeJS.Signals) => {
    // The terminal has just written ^C.
    if (signal === 'SIGINT' && process.stderr.isTTY) process.stderr.write('\n')
    const stopped = stop((unfinished) => console.error(waitingText(unfinished, signal)))
    stopped.then(() => {
      if (signal === 'SIGINT') console.error(stoppedText)
      process.exit(0)
    }, die)
  }
  const isUnderNpm = Boolean(process.env.npm_lifecycle_event)
  const onSignal = signalHandler({ begin, exit: () => process.exit(130), isUnderNpm, now: () => performance.now() })
  for (const signal of signals) process.on(signal, onSignal)
}

interface Reactions {
  readonly begin: (signal: NodeJS.Signals) => void
  readonly exit: () => void
  readonly isUnderNpm: boolean
  readonly now: () => number
}

export function signalHandler({ begin, exit, isUnderNpm, now }: Reactions): (signal: NodeJS.Signals) => void {
  let firstAt: number | undefined
  return (signal) => {
    if (firstAt === undefined) {
      firstAt = now()
      begin(signal)
    } else if (!(isUnderNpm && isCopy(signal, now() - firstAt))) exit()
  }
}

const stoppedText = 'Runwright has stopped. Unfinished runs continue with the next start.'

export function waitingText({ runs, leftMs }: Unfinished, signal: NodeJS.Signals): string {
  const who = runs === 1 ? '1 run is finishing its step' : `${runs} runs are finishing their steps`
  const hint = signal === 'SIGINT' ? '; press Ctrl-C again to stop now' : ''
  return `${who}, up to ${Math.ceil(leftMs / 1000)} s${hint}.`
}
