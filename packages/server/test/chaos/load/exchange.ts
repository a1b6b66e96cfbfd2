// One request over a connection of its own, with a time limit that holds whatever the other side does. A connection
// that is kept may have been closed by a process that stood still, and its old answer would be taken for the new one.
import { type IncomingMessage, request } from 'node:http'

export interface Exchange {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly limitMs: number
  /** Called with each piece of the body. */
  readonly onText?: (text: string) => void
}

/** Rejects when no whole answer came in time. */
export function exchange({ url, method, headers, body, limitMs, onText }: Exchange): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent: false })
    const timer = setTimeout(() => outgoing.destroy(new Error('no answer in time')), limitMs)
    const fail = (error: Error) => {
      clearTimeout(timer)
      reject(error)
    }
    outgoing.on('error', fail)
    outgoing.on('response', (incoming: IncomingMessage) => {
      let text = ''
      incoming.setEncoding('utf8')
      incoming.on('data', (chunk: string) => {
        text += chunk
        onText?.(chunk)
      })
      incoming.on('error', fail)
      incoming.on('close', () => {
        clearTimeout(timer)
        if (incoming.complete) resolve([incoming.statusCode ?? 0, text])
        else reject(new Error('the answer was cut'))
      })
    })
    outgoing.end(body)
  })
}
