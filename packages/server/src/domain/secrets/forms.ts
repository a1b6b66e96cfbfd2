// The forms in which a secret can appear in other text: unchanged, JSON-escaped, URL-encoded and in base64.
//
// A secret may be 256 KB long, and some forms are several times longer. Only the head of each form is computed for a
// search; the whole form is computed when its head was found. Texts are folded before the search, so that one form
// stands for `%2F` and `%2f`, or for both alphabets of base64.
import { foldCase } from './fold-case.ts'
import type { Pattern } from './pattern-index.ts'

/** The forms of a secret, folded. */
export interface SecretForms {
  /** The secret itself. */
  readonly raw: Pattern
  readonly escaped: readonly Pattern[]
  /** Only the characters that encode the secret alone; the adjacent ones may hold a few bits of it. */
  readonly base64: readonly Pattern[]
}

type Encode = (text: string) => string

/** How many characters of a secret the head of a form encodes. */
const charactersInHead = 32

/** `secret` must have at least four characters and no lone surrogates. */
export function formsOf(secret: string): SecretForms {
  const start = firstCharacters(secret)
  const pattern = (encode: Encode): Pattern => ({
    head: encode(start),
    whole: start === secret ? undefined : () => encode(secret),
    minLength: secret.length,
  })
  const escapings = jsonEscapings.filter(isNeededFor(secret))
  const others = otherEncodings.filter(isNeededFor(secret))
  return {
    raw: pattern(foldCase),
    escaped: distinct([...escapings, ...others].map(({ folded }) => pattern(folded))),
    base64: distinct(
      inBase64(identity)
        .concat(...escapings.map(({ encode }) => inBase64(encode)))
        .map(pattern),
    ),
  }
}

/** How many forms there are at most, without computing them. */
export function countForms(secret: string): number {
  const escapings = jsonEscapings.filter(isNeededFor(secret)).length
  const others = otherEncodings.filter(isNeededFor(secret)).length
  return 1 + escapings + others + 3 * (1 + escapings)
}

function firstCharacters(text: string): string {
  if (text.length <= charactersInHead) return text
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(charactersInHead - 1))
  return text.slice(0, splitsPair ? charactersInHead - 1 : charactersInHead)
}

/** Drops equal patterns. Two with equal heads may still differ further on. */
function distinct(patterns: readonly Pattern[]): readonly Pattern[] {
  if (patterns.length < 2 || patterns.some(({ whole }) => whole !== undefined)) return patterns
  return [...new Map(patterns.map((pattern) => [pattern.head, pattern])).values()]
}

/** base64 in the alphabet of URLs becomes the usual one. */
export const foldAlphabet: Encode = (text) =>
  /[-_]/.test(text) ? text.replaceAll('-', '+').replaceAll('_', '/') : text

const identity: Encode = (text) => text
const escapeJson: Encode = (text) => JSON.stringify(text).slice(1, -1)
const escapeNonAscii: Encode = (text) =>
  text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
const escapeSlashes: Encode = (text) => text.replaceAll('/', '\\/')
const spaceAsPlus: Encode = (text) => text.replaceAll('%20', '+')
const encodeStrictly: Encode = (text) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`)
const encodeForm: Encode = (text) => new URLSearchParams([['', text]]).toString().slice(1)

interface Encoding {
  readonly encode: Encode
  readonly folded: Encode
  /** The characters that it changes, in ways that no other encoding does: the text must have one of each set. */
  readonly needs: readonly RegExp[]
}

const encoding = (encode: Encode, ...needs: readonly RegExp[]): Encoding => ({
  encode,
  folded: (text) => foldCase(encode(text)),
  needs,
})

const isNeededFor =
  (secret: string) =>
  ({ needs }: Encoding): boolean =>
    needs.every((characters) => characters.test(secret))

const escapedInJson = /["\\\p{Cc}]/u
const nonAscii = /[^ -~]/
const slash = /\//
const space = / /

/** As JavaScript, ASCII-only serializers and PHP escape a text. */
const jsonEscapings: readonly Encoding[] = [
  encoding(escapeJson, escapedInJson),
  encoding((text) => escapeNonAscii(escapeJson(text)), nonAscii),
  encoding((text) => escapeSlashes(escapeJson(text)), slash),
  encoding((text) => escapeSlashes(escapeNonAscii(escapeJson(text))), slash, nonAscii),
]

const otherEncodings: readonly Encoding[] = [
  // JSON inside a JSON string.
  encoding((text) => escapeJson(escapeJson(text)), escapedInJson),
  encoding((text) => escapeJson(escapeNonAscii(escapeJson(text))), nonAscii),
  // Encoders of URLs differ in which characters they leave alone, and in how they write a space.
  encoding(encodeURIComponent, /[^\w.-]/),
  encoding((text) => spaceAsPlus(encodeURIComponent(text)), space),
  encoding(encodeStrictly, /[!'()*]/),
  encoding((text) => spaceAsPlus(encodeStrictly(text)), /[!'()*]/, space),
  encoding(encodeForm, /[!'()~]/),
  encoding(encodeURI, /[;,/?:@&=+$#]/),
  encoding((text) => spaceAsPlus(encodeURI(text)), /[;,/?:@&=+$#]/, space),
]

/** The bytes can start at three places within a group of base64. */
const inBase64 = (encode: Encode): Encode[] => [0, 1, 2].map((offset) => (text) => encodeAt(offset, encode(text)))

const padding = '\0\0'

function encodeAt(offset: number, text: string): string {
  const bytes = Buffer.from(offset === 0 ? text : padding.slice(0, offset) + text)
  return bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6))
}
