// Hands on what a stream says line by line, each cut to a length: a program may write without ever ending a line.
import type { Readable } from 'node:stream'
import { cutText } from '../../domain/text.ts'

export const maxLineLength = 1_000

export function takeLines(stream: Readable, take: (line: string) => void): void {
  let rest = ''
  const say = (line: string) => {
    const text = cutText(line.trimEnd(), maxLineLength)
    if (text !== '') take(text)
  }
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) say(line)
    if (rest.length <= maxLineLength) return
    say(rest)
    rest = ''
  })
  stream.on('end', () => say(rest))
}
