// A tool whose calls last until the test ends them, in the order in which they began.
import { type FakeTool, fakeTool } from './fake-execution.ts'

interface HeldTool extends FakeTool {
  readonly ends: { readonly resolve: (output: unknown) => void; readonly reject: (error: Error) => void }[]
  /** Resolves when so many calls have begun. */
  readonly begun: (count: number) => Promise<void>
}

export function heldTool(name: string, part: Parameters<typeof fakeTool>[1] = {}): HeldTool {
  const ends: HeldTool['ends'] = []
  let onBegin: () => void = () => undefined
  const run = () =>
    new Promise((resolve, reject) => {
      ends.push({ resolve, reject })
      onBegin()
    })
  const begun = (count: number) =>
    new Promise<void>((resolve) => {
      onBegin = () => ends.length >= count && resolve()
      onBegin()
    })
  return { ...fakeTool(name, { ...part, run }), ends, begun }
}
