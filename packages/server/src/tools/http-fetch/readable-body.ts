// What a caller gets to see of a body: a value, a text, or a clear word that it is neither.
import { decodeText, decodeUtf8 } from './decode-text.ts'
import { FetchProblem } from './fetch-problem.ts'
import { htmlToText } from './html-to-text.ts'

export interface ReadableParts {
  /** The header as it came. */
  readonly contentType: string | undefined
  readonly bytes: Buffer
  /** To which links are relative. */
  readonly url: URL
  readonly signal: AbortSignal
}

/** Null when there are no bytes at all, as in the answer to HEAD. */
export async function readableBody({ contentType, bytes, url, signal }: ReadableParts): Promise<unknown> {
  if (bytes.length === 0) return null
  const { type, charset } = parseContentType(contentType)
  if (isJson.test(type)) return parseJson(decodeText(bytes, charset))
  if (isHtml.test(type)) return htmlToText(decodeText(bytes, charset ?? charsetWithin(bytes)), { url, signal })
  if (isText.test(type)) return decodeText(bytes, charset)
  return textWithoutType(type, bytes) ?? refuseBinary(type, bytes)
}

const isJson = /^(application|text)\/json$|\+json$/
const isHtml = /^(text\/html|application\/xhtml\+xml)$/
const isText =
  /^text\/|\+(xml|yaml)$|^application\/(xml|(x-)?yaml|(x-)?javascript|ecmascript|typescript|x-ndjson|jsonl|json-seq|toml|graphql|sql|x-www-form-urlencoded)$/

function parseContentType(header = ''): { readonly type: string; readonly charset: string | undefined } {
  const [type = ''] = header.split(';', 1)
  return { type: type.trim().toLowerCase(), charset: /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(header)?.[1] }
}

/** A text that is no JSON, whatever its label, is still worth reading. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** UTF-16 cannot be: then the bytes that say so could not have been read. */
function charsetWithin(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, 1024)
  const charset = /<meta[^>]+charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(start)?.[1]
  return charset === undefined || /^utf-?16/i.test(charset) ? undefined : charset
}

const textWithoutType = (type: string, bytes: Buffer): string | undefined =>
  type === '' && !bytes.includes(0) ? decodeUtf8(bytes) : undefined

function refuseBinary(type: string, bytes: Buffer): never {
  const name = /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type.slice(0, 100) : 'of no known type'
  throw new FetchProblem(`The answer is ${name}, ${bytes.length} bytes: only text, JSON and HTML can be read.`)
}
