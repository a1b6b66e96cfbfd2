// Who sends a request without a key.
import type { IncomingMessage } from 'node:http'

const maxAddressLength = 64

/**
 * Behind a proxy, all browsers have its address. The last name in `X-Forwarded-For` is the client of the nearest proxy.
 * A client without a proxy can invent it, so a limit per client needs another one for all of them.
 */
export function clientOf({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string {
  const forwarded = [headers['x-forwarded-for']].flat().at(-1)?.split(',').at(-1)?.trim() ?? ''
  return `${socket.remoteAddress} ${forwarded.slice(-maxAddressLength)}`
}
