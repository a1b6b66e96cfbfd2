// Asks one question on the terminal.
import { createInterface } from 'node:readline/promises'
import type { Io } from '../output/io.ts'

interface PromptOptions {
  /** Ends the question without an answer. */
  readonly signal: AbortSignal
  /** Ctrl-C: while a question is open, it does not arrive as a signal of the process. */
  readonly onInterrupt: () => void
}

/** Returns the line, or undefined if the question was ended or the input is closed. */
export async function ask(io: Io, question: string, { signal, onInterrupt }: PromptOptions) {
  if (signal.aborted) return undefined
  const lines = createInterface({ input: io.stdin, output: io.stderr as NodeJS.WritableStream, terminal: true })
  const closed = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)))
  lines.on('SIGINT', onInterrupt)
  try {
    return await Promise.race([lines.question(question, { signal }), closed])
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  } finally {
    lines.close()
  }
}
