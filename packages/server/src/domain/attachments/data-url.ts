// Reads `data:` URLs (RFC 2397) strictly: what a lenient reader would repair is refused, so that every reader of a run
// sees the same bytes.

interface DataUrl {
  /** As given, such as `text/plain;charset=utf-8`. */
  readonly contentType: string
  readonly bytes: Buffer
}

const parts = /^data:([^,]*?)(;base64)?,(.*)$/is
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
/** Printable ASCII, and bytes as `%00`. */
const percentEncoded = /^(?:[!-$&-~]|%[0-9a-f]{2})*$/i

/** Returns the data, or why it cannot be read. */
export function readDataUrl(url: string): DataUrl | string {
  const [, given = '', isBase64, data] = parts.exec(url) ?? []
  if (data === undefined) return 'The data: URL has no comma.'
  // A content type that starts with a parameter is about plain text.
  const contentType = /^(;|$)/.test(given) ? `text/plain${given || ';charset=us-ascii'}` : given
  if (isBase64)
    return base64.test(data) ? { contentType, bytes: Buffer.from(data, 'base64') } : 'Its base64 is not valid.'
  if (!percentEncoded.test(data)) return 'Its percent encoding is not valid.'
  const bytes = data.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return { contentType, bytes: Buffer.from(bytes, 'latin1') }
}
