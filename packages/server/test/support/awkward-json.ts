// JSON and texts that take long to read, of any size: deep, wide, full of escapes, or made for a certain reader.
import fc from 'fast-check'

const fill = (text: string, length: number): string => text.repeat(Math.max(1, Math.floor(length / text.length)))
const listOf = (item: string, count: number): string => `[${fill(`${item},`, count * (item.length + 1))}${item}]`
const nested = (levels: number, inner = ''): string => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`

interface Limits {
  /** Of the JSON text. */
  readonly length: number
  /** Of keys and values together. */
  readonly parts: number
}

/** A list of items that have so many keys and values each. */
const list =
  (item: string, parts: number) =>
  (limits: Limits): string =>
    listOf(item, Math.max(1, Math.min(limits.length / (item.length + 1), limits.parts / parts) - 3))

const text =
  (repeated: string, start = '', end = '') =>
  ({ length }: Limits): string =>
    `"${start}${fill(repeated, length - start.length - end.length - 2)}${end}"`

const keys = ({ length, parts }: Limits): string => {
  const count = Math.max(1, Math.floor(Math.min(length / 12, parts / 2)) - 3)
  return `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join()}}`
}

/** Each kind as JSON text within the limits. */
const kinds = {
  numbers: list('1', 1),
  decimals: list('1.000000001', 1),
  'large numbers': list('1e300', 1),
  'empty arrays': list('[]', 2),
  'empty objects': list('{}', 2),
  'small objects': list('{"a":1}', 4),
  'short texts': list('"abcd"', 1),
  'deep arrays': list(nested(40), 41),
  'deep objects': list(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`, 81),
  keys,
  'a long text': text('x'),
  words: text('ab '),
  quotes: text('\\"'),
  backslashes: text('\\\\'),
  'escaped letters': text('\\u0061'),
  'lone surrogates': text('\\ud800'),
  'surrogate pairs': ({ length }: Limits) => text('😀')({ length: length / 2, parts: 0 }),
  'characters that fold': ({ length }: Limits) => text('İﬀß')({ length: length / 3, parts: 0 }),
  'line breaks': text('\\n'),
  'open templates': text('{{'),
  templates: text('{{input.a}}'),
  placeholders: text('{{secret:$.input.a}}'),
  'a fence and line breaks': text('\\n', '```json', 'x'),
  fences: text('```json\\n{}\\n```\\n'),
  'open brackets': text('['),
  'open objects in a text': text('{\\"a\\":'),
  'open reasoning': text('<think>'),
  'closed reasoning': text('</think><think>'),
  'marks of data': text('</data'),
  'base64 letters': text('aGVsbG8gd29ybGQ'),
} satisfies Record<string, (limits: Limits) => string>

export type Kind = keyof typeof kinds
export const allKinds = Object.keys(kinds) as Kind[]

export interface Awkward {
  readonly kind: Kind
  /** Of what the limits allow. */
  readonly share: number
  /** How many arrays are around it. */
  readonly levels: number
}

export const awkward: fc.Arbitrary<Awkward> = fc.record({
  kind: fc.constantFrom(...allKinds),
  share: fc.constantFrom(1, 1, 0.5, 0.05),
  levels: fc.constantFrom(0, 0, 1, 20),
})

export const largest = (kind: Kind): Awkward => ({ kind, share: 1, levels: 0 })

/** The JSON text. */
export function jsonOf({ kind, share, levels }: Awkward, { length, parts }: Limits): string {
  const limits = { length: (length - 2 * levels) * share, parts: (parts - levels) * share }
  return nested(levels, kinds[kind](limits))
}

/** The same as a plain text: what JSON text says, or JSON itself. */
export function plainOf(value: Awkward, limits: Limits): string {
  const json = jsonOf({ ...value, levels: 0 }, limits)
  return json.startsWith('"') ? (JSON.parse(json) as string) : json
}
