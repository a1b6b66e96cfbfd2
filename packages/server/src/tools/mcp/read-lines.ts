// Reads a stream line by line. Lines are cut to a maximum length, because a program may write without line breaks.
import type { Readable } from 'node:stream'
import { cutText } from '../../domain/text.ts'

const maxLineLength = 1_000

export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = ''
  const emit = (line: string) => {
    const text = cutText(line.trimEnd(), maxLineLength)
    if (text !== '') onLine(text)
  }
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) emit(line)
    if (rest.length <= maxLineLength) return
    emit(rest)
    rest = ''
  })
  stream.on('end', () => emit(rest))
}
