// Fastify answers 415 to content types it cannot read; here the route decides, or ignores the body. So the type that was
// sent is put aside before Fastify looks at it.
import type { IncomingMessage } from 'node:http'

const sentType = new WeakMap<IncomingMessage, string>()

export function hideContentType(request: IncomingMessage): void {
  const type = request.headers['content-type']
  if (type === undefined) return
  sentType.set(request, type)
  request.headers['content-type'] = 'application/json'
}

export const contentTypeOf = (request: IncomingMessage): string | undefined => sentType.get(request)
