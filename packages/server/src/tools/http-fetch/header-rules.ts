// Which request headers a caller may set. Headers that control framing, the connection or the effective method could
// turn the request into a different one than was checked.

const managed = [
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'http2-settings',
  'expect',
  'accept-encoding',
]
const methodOverrides = ['x-http-method', 'x-http-method-override', 'x-method-override']
const forbidden = new Set([...managed, ...methodOverrides])

export const maxRequestHeaders = 64
const maxRequestHeaderBytes = 16 * 1024

const token = /^[!#$%&'*+.^_`|~\w-]+$/
// Line breaks are the most important exclusion: they would start another header.
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** Describes what is wrong with a header. The result completes a sentence and never repeats the value. */
export function findHeaderProblem(name: string, value: string): string | undefined {
  if (!token.test(name)) return 'is not a valid header name'
  const lowerName = name.toLowerCase()
  if (forbidden.has(lowerName) || lowerName.startsWith('proxy-')) return 'is a header that must not be set'
  if (!fieldValue.test(value)) return 'has characters that are not allowed in a header'
  return undefined
}

/** Describes what is wrong with the headers as a whole. */
export function findHeadersProblem(headers: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(headers)
  if (entries.length > maxRequestHeaders) return `must have at most ${maxRequestHeaders} headers`
  const bytes = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (bytes > maxRequestHeaderBytes) return `must have at most ${maxRequestHeaderBytes} characters in total`
  const names = new Set(entries.map(([name]) => name.toLowerCase()))
  return names.size < entries.length ? 'must not contain a header twice' : undefined
}
