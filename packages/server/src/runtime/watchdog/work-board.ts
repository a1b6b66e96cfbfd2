// What the runs of this process are doing, in shared memory: the watchdog reads it when the event loop is blocked. To
// write a line takes less than a microsecond, so every phase of a run is written.
import { toWireId } from '../ids.ts'

/** How the memory is divided, for the thread that reads it. */
export interface BoardLayout {
  readonly lines: number
  readonly lineBytes: number
}

/** One run's line. */
export interface BoardLine {
  /** From now on the run does this. */
  enter(phase: string): void
  /** Does synchronous work. If it never ends, this run is named as the one that blocks the event loop. */
  during<Result>(phase: string, work: () => Result): Result
  /** The run is no longer executed here. */
  clear(): void
}

/** For executions that nothing watches. */
export const noLine: BoardLine = {
  enter: () => undefined,
  during: (_, work) => work(),
  clear: () => undefined,
}

const lineBytes = 128
/** The first byte is the length of the text. */
const maxTextBytes = lineBytes - 1
/** Runs that this process has lost may still be ending. */
const extraLines = 64
/** Two 32-bit integers: the line of the run that does synchronous work, counted from 1, and the runs without a line. */
const headBytes = 8
const head = { holder: 0, unlisted: 1 }

export class WorkBoard {
  readonly shared: SharedArrayBuffer
  readonly layout: BoardLayout
  readonly #head: Int32Array
  readonly #bytes: Buffer
  readonly #free: number[]
  readonly #open = new Map<string, BoardLine>()

  /** `places` is how many runs the process executes at the same time. */
  constructor(places: number) {
    this.layout = { lines: places + extraLines, lineBytes }
    this.shared = new SharedArrayBuffer(headBytes + this.layout.lines * lineBytes)
    this.#head = new Int32Array(this.shared, 0, 2)
    this.#bytes = Buffer.from(this.shared, headBytes)
    this.#free = Array.from({ length: this.layout.lines }, (_, index) => index).reverse()
  }

  /** A new line for this run. */
  open(runId: string): BoardLine {
    const index = this.#free.pop()
    const line = index === undefined ? this.#unlisted() : this.#lineAt(index, toWireId('run', runId))
    const clear = () => {
      line.clear()
      if (this.#open.get(runId) === opened) this.#open.delete(runId)
    }
    const opened = { ...line, clear: once(clear) }
    this.#open.set(runId, opened)
    return opened
  }

  /** The line that was opened last for this run. */
  lineOf(runId: string): BoardLine | undefined {
    return this.#open.get(runId)
  }

  #unlisted(): BoardLine {
    Atomics.add(this.#head, head.unlisted, 1)
    return { ...noLine, clear: () => void Atomics.sub(this.#head, head.unlisted, 1) }
  }

  #lineAt(index: number, name: string): BoardLine {
    let current = 'start'
    const write = (phase: string) => this.#write(index, `${name} ${phase}`)
    write(current)
    return {
      enter: (phase) => {
        current = phase
        write(phase)
      },
      during: (phase, work) => {
        const before = Atomics.exchange(this.#head, head.holder, index + 1)
        write(phase)
        try {
          return work()
        } finally {
          write(current)
          Atomics.store(this.#head, head.holder, before)
        }
      },
      clear: () => {
        this.#write(index, '')
        this.#free.push(index)
      },
    }
  }

  #write(index: number, text: string): void {
    const at = index * lineBytes
    this.#bytes[at] = this.#bytes.write(text, at + 1, maxTextBytes, 'latin1')
  }
}

/** The line may have another run by the time of a second call. */
function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) act()
    isDone = true
  }
}
