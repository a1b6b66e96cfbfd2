// Converts a response body to a JSON value or text, or fails for any other type.
import { scanJson } from '../../domain/json/scan-json.ts'
import { outputLimits } from '../port/storable-output.ts'
import { decodeText, decodeUtf8 } from './decode-text.ts'
import { FetchError } from './fetch-error.ts'
import { htmlToText } from './html-to-text.ts'

interface ResponseBody {
  /** The header as received. */
  readonly contentType: string | undefined
  readonly bytes: Buffer
  /** The base URL of relative links. */
  readonly url: URL
  readonly signal: AbortSignal
  readonly customerId: string
}

/** Null when the body is empty, as in the response to HEAD. */
export async function readableBody(body: ResponseBody): Promise<unknown> {
  if (body.bytes.length === 0) return null
  const text = await readableText(body)
  return isJson.test(parseContentType(body.contentType).type) ? parseJson(text) : text
}

/** JSON stays as it was sent: a parser would change large numbers, and a value may nest without limit. */
export async function readableText({ contentType, bytes, ...page }: ResponseBody): Promise<string> {
  const { type, charset } = parseContentType(contentType)
  if (isHtml.test(type)) return htmlToText(decodeText(bytes, charset ?? declaredCharset(bytes)), page)
  if (isJson.test(type) || isText.test(type)) return decodeText(bytes, charset)
  return textWithoutType(type, bytes) ?? refuseBinary(type, bytes)
}

/** Whether `readableBody` takes this type. */
export const isReadable = (type: string): boolean => [isJson, isHtml, isText].some((types) => types.test(type))

const isJson = /^(application|text)\/json$|\+json$/
const isHtml = /^(text\/html|application\/xhtml\+xml)$/
const isText =
  /^text\/|\+(xml|yaml)$|^application\/(xml|(x-)?yaml|(x-)?javascript|ecmascript|typescript|x-ndjson|jsonl|json-seq|toml|graphql|sql|x-www-form-urlencoded)$/

export function parseContentType(header = ''): { readonly type: string; readonly charset: string | undefined } {
  const [type = ''] = header.split(';', 1)
  return {
    type: type.trim().toLowerCase(),
    charset: /;\s{0,9}charset\s{0,9}=\s{0,9}"?([^\s;"]{1,40})/i.exec(header)?.[1],
  }
}

/**
 * Returns the text itself when it is not valid JSON, whatever its content type says, and when it is more than a result
 * can have.
 */
function parseJson(text: string): unknown {
  const trimmed = text.trimStart()
  const isContainer = trimmed.startsWith('{') || trimmed.startsWith('[')
  if (isContainer && scanJson(trimmed, 0, outputLimits).exceedsLimits) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const charsetOf = /charset\s{0,9}=[\s"']{0,9}([^\s"'/>;]{1,40})/i

/** The charset in a `<meta>` element. Ignores UTF-16: in that encoding the pattern would not have matched. */
function declaredCharset(bytes: Buffer): string | undefined {
  const [, ...elements] = bytes.toString('latin1', 0, 1024).split(/<meta/i)
  const charsets = elements.map((element) => charsetOf.exec(element.split('>', 1)[0] ?? '')?.[1])
  const charset = charsets.find((found) => found !== undefined)
  return charset === undefined || /^utf-?16/i.test(charset) ? undefined : charset
}

const textWithoutType = (type: string, bytes: Buffer): string | undefined =>
  type === '' && !bytes.includes(0) ? decodeUtf8(bytes) : undefined

function refuseBinary(type: string, bytes: Buffer): never {
  const isPlausible = /^[\w.+-]+\/[\w.+-]+$/.test(type)
  const name = isPlausible ? `the content type ${type.slice(0, 100)}` : 'an unknown content type'
  throw new FetchError(`The response has ${name} (${bytes.length} bytes). Only text, JSON and HTML are supported.`)
}
