// An incremental parser for Server-Sent Events: takes chunks of any size, returns complete messages.
// A message that the end of the stream cuts off is dropped, so a connection may be lost anywhere.

export interface ServerSentMessage {
  readonly event: string
  readonly data: string
  /** Of this message or the last one before it that has an id. */
  readonly id: string
}

const lineEnd = /\r\n|\n|\r/g

export class ServerSentEventParser {
  /** The reconnection delay that the server requested, if any. */
  retryMs: number | undefined
  /** The pieces of a line that has not ended. They are joined once, so that the time stays linear. */
  #pieces: string[] = []
  #endedWithReturn = false
  #event = ''
  #id = ''
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
    // A line feed after a carriage return that ended the previous chunk belongs to the same line end.
    const text = this.#endedWithReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk
    this.#endedWithReturn = chunk.endsWith('\r')
    const [end = '', ...others] = text.split(lineEnd)
    this.#pieces.push(end)
    const rest = others.pop()
    if (rest === undefined) return []
    const lines = [this.#pieces.join(''), ...others]
    this.#pieces = [rest]
    return lines
  }

  #readField(line: string) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? []
    if (name === 'data') this.#data.push(value)
    if (name === 'event') this.#event = value
    if (name === 'id' && !value.includes('\0')) this.#id = value
    if (name === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value)
  }

  /** The message from the fields since the last empty line; none without data. */
  #takeMessage(): ServerSentMessage[] {
    const message = { event: this.#event || 'message', data: this.#data.join('\n'), id: this.#id }
    const messages = this.#data.length > 0 ? [message] : []
    this.#event = ''
    this.#data = []
    return messages
  }
}
