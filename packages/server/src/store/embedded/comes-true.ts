// Polls a condition until it is true or the time is up.
import { setTimeout as pause } from 'node:timers/promises'

const TURN_MS = 20

export async function comesTrue(question: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs
  while (!(await question())) {
    if (performance.now() > deadline) return false
    await pause(TURN_MS)
  }
  return true
}
