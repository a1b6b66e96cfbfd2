// Decodes bytes as text the way browsers do: by the byte order mark, then the given charset, then the bytes themselves.
import { showName } from '@runwright/contract'
import { FetchError } from './fetch-error.ts'

/** Without a charset, tries UTF-8 and falls back to windows-1252. */
export function decodeText(bytes: Buffer, charset: string | undefined): string {
  const encoding = encodingByMark(bytes) ?? (charset === undefined ? undefined : encodingNamed(charset))
  if (encoding !== undefined) return decode(bytes, encoding)
  return decodeUtf8(bytes) ?? decode(bytes, 'windows-1252')
}

/** Undefined when the bytes are not UTF-8. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const marks = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16be', [0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
] as const

const encodingByMark = (bytes: Buffer): string | undefined =>
  marks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0]

function encodingNamed(charset: string): string {
  try {
    return new TextDecoder(charset).encoding
  } catch {
    throw new FetchError(`The response has the charset ${showName(charset)}, which is not supported.`)
  }
}

const decode = (bytes: Buffer, encoding: string): string =>
  encoding === 'windows-1252' ? decodeWindows1252(bytes) : new TextDecoder(encoding).decode(bytes)

// Node 20 decodes windows-1252 as latin1, which has control characters at these code points.
const windows1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

const decodeWindows1252 = (bytes: Buffer): string =>
  bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (character) => windows1252[character.charCodeAt(0) - 0x80] ?? character)
