// A parser for Server-Sent Events: text goes in in pieces of any size, whole messages come out.
// What the end of a stream cuts off never becomes a message, so a connection may break anywhere.

export interface ServerSentMessage {
  readonly event: string
  readonly data: string
}

const lineEnd = /\r\n|\n|\r/g

export class ServerSentEventParser {
  /** Milliseconds that the server wants a client to wait before it reconnects, once it has said so. */
  retryMs: number | undefined
  #rest = ''
  #endedWithReturn = false
  #event = ''
  #data: string[] = []

  push(chunk: string): ServerSentMessage[] {
    const messages: ServerSentMessage[] = []
    for (const line of this.#linesOf(chunk)) {
      if (line === '') messages.push(...this.#takeMessage())
      else this.#readField(line)
    }
    return messages
  }

  #linesOf(chunk: string): string[] {
    if (chunk === '') return []
    // A line feed after a return that ended the chunk before: one line end in two pieces.
    const text = this.#rest + (this.#endedWithReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk)
    const lines = text.split(lineEnd)
    this.#endedWithReturn = chunk.endsWith('\r')
    this.#rest = lines.pop() ?? ''
    return lines
  }

  #readField(line: string) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? []
    if (name === 'data') this.#data.push(value)
    if (name === 'event') this.#event = value
    if (name === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value)
  }

  /** What the fields since the last empty line make up; nothing if there was no data. */
  #takeMessage(): ServerSentMessage[] {
    const messages = this.#data.length > 0 ? [{ event: this.#event || 'message', data: this.#data.join('\n') }] : []
    this.#event = ''
    this.#data = []
    return messages
  }
}
