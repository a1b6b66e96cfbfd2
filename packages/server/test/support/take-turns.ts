// Waits until code that takes turns has taken them. Turns are taken in order, so those before ours are over then.
import { yieldToEventLoop } from '../../src/runtime/time-slices.ts'

export async function takeTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await yieldToEventLoop()
}
