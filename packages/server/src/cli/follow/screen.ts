// What a person sees while a run is followed: lines on stderr, and a spinner while nothing comes. stdout is for the
// result.
import { type Io, isFancy, type Output } from '../output/io.ts'
import { safeOutput } from '../output/safe-text.ts'
import { type Style, styleFor } from '../output/style.ts'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const frameMs = 100
/** A pause that people notice. */
const quietMs = 400
const clearLine = '\r\u001b[2K'

export class Screen {
  readonly style: Style
  readonly isFancy: boolean
  readonly #output: Output
  #isLineOpen = false
  #spinner: NodeJS.Timeout | undefined
  #isSpinnerShown = false
  #label = ''
  #quietSince = performance.now()
  #frame = 0

  constructor(io: Io) {
    this.#output = io.stderr
    this.isFancy = isFancy(io, io.stderr)
    this.style = styleFor(this.isFancy)
  }

  /** Undefined if lines are not wrapped, as in a pipe. */
  get width(): number | undefined {
    return this.#output.isTTY ? (this.#output.columns ?? 80) : undefined
  }

  line(text = ''): void {
    this.endLine()
    this.#write(`${text}\n`)
  }

  /** Starts or continues a line. */
  add(text: string): void {
    this.#write(text)
    this.#isLineOpen = true
  }

  endLine(): void {
    if (this.#isLineOpen) this.#write('\n')
    this.#isLineOpen = false
  }

  /** Shows the spinner whenever nothing was written for a moment. */
  wait(label: string): void {
    this.#label = label
    if (!this.isFancy || this.#spinner) return
    this.#spinner = setInterval(() => this.#spin(), frameMs)
    this.#spinner.unref()
  }

  /** Ends the spinner, for a question or at the end. */
  rest(): void {
    clearInterval(this.#spinner)
    this.#spinner = undefined
    this.#hideSpinner()
  }

  #spin(): void {
    const quiet = performance.now() - this.#quietSince
    if (this.#isLineOpen || quiet < quietMs) return
    this.#frame = (this.#frame + 1) % frames.length
    const seconds = quiet < 2_000 ? '' : ` ${Math.floor(quiet / 1_000)} s`
    this.#output.write(`${clearLine}${this.style.cyan(frames[this.#frame] ?? '')} ${this.#label}${seconds}`)
    this.#isSpinnerShown = true
  }

  #hideSpinner(): void {
    if (this.#isSpinnerShown) this.#output.write(clearLine)
    this.#isSpinnerShown = false
  }

  #write(text: string): void {
    this.#hideSpinner()
    this.#output.write(safeOutput(text))
    this.#quietSince = performance.now()
  }
}
