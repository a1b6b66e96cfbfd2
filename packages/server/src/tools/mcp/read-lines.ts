// Reads a stream line by line. A program may write without line breaks: of a long line, only the beginning is read.
import type { Readable } from 'node:stream'

/** Several times what is shown of a line, so that a secret at the cut is still recognized. */
export const maxLineLength = 4_000

export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = ''
  let isCut = false
  const emit = (line: string) => {
    const text = line.slice(0, maxLineLength).trimEnd()
    if (!isCut && text !== '') onLine(text)
    isCut = false
  }
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) emit(line)
    if (rest.length <= maxLineLength) return
    emit(rest)
    rest = ''
    isCut = true
  })
  stream.on('end', () => emit(rest))
}
