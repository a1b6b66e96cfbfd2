// The streamed text of steps, each line with the name of its step. While one step streams, its words appear as they
// come. While several work side by side, a line is shown when it is complete, so that their texts do not mix.
import { safeText } from '../output/safe-text.ts'
import type { Screen } from './screen.ts'

/** In a pipe nothing is wrapped, but text without line breaks or spaces must not be held back for ever. */
const longestHeldLine = 100

interface OpenStep {
  readonly name: string
  /** Text that is not shown yet. */
  pending: string
  /** How many characters the current line shows. */
  column: number
}

export class StepText {
  readonly #screen: Screen
  readonly #open = new Map<string, OpenStep>()
  /** The step that has an unfinished line on the screen. */
  #live: OpenStep | undefined

  constructor(screen: Screen) {
    this.#screen = screen
  }

  /** A step has begun to work, whether or not it has said something yet. */
  begin(task: string, name: string): void {
    if (!this.#open.has(task)) this.#open.set(task, { name, pending: '', column: 0 })
    if (this.#open.size > 1) this.#breakLine()
  }

  push(task: string, text: string): void {
    const step = this.#open.get(task)
    if (!step) return
    step.pending += safeText(text)
    this.#showLines(step)
    if (this.#open.size === 1) this.#showWords(step)
    else this.#showFullWidths(step)
  }

  /** A line about the step, below what it has said. */
  note(task: string, text: string): void {
    const step = this.#open.get(task)
    if (step) this.#showRest(step)
    this.#screen.line(step ? `${this.#prefix(step)}${text}` : text)
  }

  end(task: string): void {
    const step = this.#open.get(task)
    if (step) this.#showRest(step)
    this.#open.delete(task)
  }

  endAll(): void {
    for (const task of [...this.#open.keys()]) this.end(task)
  }

  #showLines(step: OpenStep): void {
    const lines = step.pending.split('\n')
    step.pending = lines.pop() ?? ''
    for (const line of lines) {
      this.#print(step, line)
      this.#breakLine()
    }
  }

  /** All words but the last, which may still grow. */
  #showWords(step: OpenStep): void {
    const last = Math.max(0, step.pending.length - longestHeldLine)
    const end = last + (/\s\S*$/.exec(step.pending.slice(last))?.index ?? -1) + 1
    if (end === 0) return
    this.#print(step, step.pending.slice(0, end))
    step.pending = step.pending.slice(end)
  }

  #showFullWidths(step: OpenStep): void {
    const width = Math.min(this.#widthFor(step), longestHeldLine)
    while (step.pending.length > width) {
      const space = step.pending.lastIndexOf(' ', width)
      const end = space > 0 ? space : width
      this.#print(step, step.pending.slice(0, end))
      this.#breakLine()
      step.pending = step.pending.slice(end).trimStart()
    }
  }

  #showRest(step: OpenStep): void {
    if (step.pending.trim() !== '') this.#print(step, step.pending)
    step.pending = ''
    if (this.#live === step) this.#breakLine()
  }

  /** Continues the line of the step, and wraps between words. */
  #print(step: OpenStep, text: string): void {
    if (this.#live !== step) this.#breakLine()
    for (const part of text.match(/\s+|\S+/g) ?? ['']) {
      const isTooLong = step.column > 0 && step.column + [...part].length > this.#widthFor(step)
      if (isTooLong) this.#breakLine()
      // The space at which a line is wrapped is not shown.
      if (!isTooLong || part.trim() !== '') this.#add(step, part)
    }
  }

  #add(step: OpenStep, text: string): void {
    if (this.#live !== step) this.#screen.add(this.#prefix(step))
    this.#live = step
    this.#screen.add(text)
    step.column += [...text].length
  }

  #breakLine(): void {
    this.#screen.endLine()
    if (this.#live) this.#live.column = 0
    this.#live = undefined
  }

  #prefix({ name }: OpenStep): string {
    return `${this.#screen.style.cyan(name)} ${this.#screen.style.dim('│')} `
  }

  #widthFor({ name }: OpenStep): number {
    const { width } = this.#screen
    return width === undefined ? Number.MAX_SAFE_INTEGER : Math.max(20, width - [...name].length - 4)
  }
}
