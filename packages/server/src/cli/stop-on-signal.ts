// The first signal shuts the service down gracefully and says what it waits for. A second one exits at once.
import type { Unfinished } from '../engine/engine.ts'

type Stop = (report: (unfinished: Unfinished) => void) => Promise<void>

export function stopOnSignal(stop: Stop, die: (error: unknown) => never): void {
  let stopping = false
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(130)
    stopping = true
    // The terminal has just written ^C.
    if (signal === 'SIGINT' && process.stderr.isTTY) process.stderr.write('\n')
    stop((unfinished) => console.error(waitingText(unfinished, signal))).then(() => process.exit(0), die)
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
}

export function waitingText({ runs, leftMs }: Unfinished, signal: NodeJS.Signals): string {
  const who = runs === 1 ? '1 run is finishing its step' : `${runs} runs are finishing their steps`
  const hint = signal === 'SIGINT' ? '; press Ctrl-C again to stop now' : ''
  return `${who}, up to ${Math.ceil(leftMs / 1000)} s${hint}.`
}
