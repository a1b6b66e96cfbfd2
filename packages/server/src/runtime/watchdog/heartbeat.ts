// Counts in shared memory as long as the event loop turns, so that the side thread can tell whether it does.

/** Also says whether a debugger may have stopped the event loop. */
const cells = { beats: 0, isDebugged: 1 }
const cellBytes = 4

/** Long enough to cost nothing, short enough for the shortest leases. */
const beatMs = 250

export class Heartbeat {
  /** Two 32-bit integers: the number of beats, and 1 while the port of the debugger is open. */
  readonly shared = new SharedArrayBuffer(Object.keys(cells).length * cellBytes)
  readonly #values = new Int32Array(this.shared)
  #timer: NodeJS.Timeout | undefined

  start(): void {
    this.#timer ??= setInterval(() => this.beat(), beatMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  beat(): void {
    Atomics.store(this.#values, cells.isDebugged, isDebuggerOpen() ? 1 : 0)
    Atomics.add(this.#values, cells.beats, 1)
  }
}

// Node can be built without it.
const inspector = process.features.inspector ? process.getBuiltinModule('node:inspector') : undefined

const isDebuggerOpen = (): boolean => inspector?.url() !== undefined
