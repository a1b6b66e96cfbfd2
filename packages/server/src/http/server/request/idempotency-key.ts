// The `idempotency-key` header: 1–255 printable ASCII characters, sent once.
import type { IncomingMessage } from 'node:http'

const wellFormed = /^[\x20-\x7e]{1,255}$/
const headerName = 'idempotency-key'

type KeyHeader =
  | { readonly kind: 'missing' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'key'; readonly key: string }

export function readIdempotencyKey(request: IncomingMessage): KeyHeader {
  const value = request.headers[headerName]
  if (value === undefined) return { kind: 'missing' }
  if (typeof value !== 'string' || !wellFormed.test(value) || isRepeated(request, value)) return { kind: 'malformed' }
  return { kind: 'key', key: value }
}

// Node joins a repeated header with a comma, so the raw headers matter only if there is one.
const isRepeated = ({ rawHeaders }: IncomingMessage, value: string): boolean =>
  value.includes(', ') &&
  rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === headerName).length > 1
