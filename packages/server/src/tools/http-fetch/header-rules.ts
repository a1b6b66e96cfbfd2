// Which request headers a caller may set. Those that frame a message, steer the connection or disguise the method would
// make the request another one than the one that was checked.

const ours = [
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
const disguises = ['x-http-method', 'x-http-method-override', 'x-method-override']
const refused = new Set([...ours, ...disguises])

export const maxRequestHeaders = 64
export const maxRequestHeaderBytes = 16 * 1024

const token = /^[!#$%&'*+.^_`|~\w-]+$/
// What a header can carry, byte by byte; line breaks above all would begin a header of their own.
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** What is wrong with a header, as the end of a sentence that names it; the value is never repeated. */
export function findHeaderProblem(name: string, value: string): string | undefined {
  if (!token.test(name)) return 'is not a valid header name'
  const lowerName = name.toLowerCase()
  if (refused.has(lowerName) || lowerName.startsWith('proxy-')) return 'is a header that cannot be set'
  if (!fieldValue.test(value)) return 'has characters that a header cannot carry'
  return undefined
}

/** What is wrong with all of them together. */
export function findHeadersProblem(headers: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(headers)
  if (entries.length > maxRequestHeaders) return `must have at most ${maxRequestHeaders} headers`
  const bytes = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (bytes > maxRequestHeaderBytes) return `must have at most ${maxRequestHeaderBytes} characters in all`
  const names = new Set(entries.map(([name]) => name.toLowerCase()))
  return names.size < entries.length ? 'must not name a header twice' : undefined
}
