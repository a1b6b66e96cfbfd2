// Parses a large JSON text piece by piece: `JSON.parse` cannot be interrupted, and takes longer for 100,000 keys than
// the event loop may be held.
//
// A piece ends at a comma. It is completed to a document of its own: the objects and arrays that are open where it
// begins are opened again, those that are open where it ends are closed.
//
//   the text       {"a":{"b":1,"c":[2,3]},"d":4}
//   first piece    {"a":{"b":1,"c":[2}}
//   second piece   {"…":{"…":[3]},"d":4}     the members behind "…" belong to the values of the piece before
import { randomUUID } from 'node:crypto'
import { setMember } from './set-member.ts'

/** How many characters a piece has, and those up to the next comma. */
const usualLength = 65_536

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
// `[` and `{`, `]` and `}` differ in this bit only.
const bracketBit = 0x20
const opening = 0x7b
const closing = 0x7d

const isWhiteSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

type Container = unknown[] | Record<string, unknown>

/** An object or array that is open. */
interface Frame {
  readonly isArray: boolean
  /** Where its key is, if it is the member of an object. */
  readonly keyStart: number
  readonly keyEnd: number
}

/**
 * As `JSON.parse`, for text of bounded depth. Throws a SyntaxError. Yields where the work can be interrupted: a text
 * that is not large is parsed at once.
 */
export function* parsePieces(text: string, pieceLength = usualLength): Generator<void, unknown> {
  return text.length <= pieceLength ? JSON.parse(text) : yield* new PieceParser(text, pieceLength).parse()
}

class PieceParser {
  readonly #text: string
  readonly #pieceLength: number
  /** Stands for the keys of what is open where a piece begins. It cannot be guessed. */
  readonly #link = randomUUID()
  /** What is open at the place that was scanned last. */
  readonly #open: Frame[] = []
  /** How many of those that were open where the piece begins have stayed open. */
  #stayed = 0
  /** The values that are open where the piece begins. */
  #path: Container[] = []
  #root: unknown

  constructor(text: string, pieceLength: number) {
    this.#text = text
    this.#pieceLength = pieceLength
  }

  *parse(): Generator<void, unknown> {
    for (let start = 0; ; ) {
      const before = [...this.#open]
      const end = this.#scan(start)
      const isLast = end === this.#text.length
      if (isLast && this.#open.length > 0) throw new SyntaxError('it ends unexpectedly')
      this.#take(before, this.#text.slice(start, end))
      if (isLast) return this.#root
      this.#expectMembersAround(end)
      yield
      start = end + 1
    }
  }

  /** Goes on to the first comma after so many characters, or to the end of the text. Returns its place. */
  #scan(start: number): number {
    const text = this.#text
    let [keyStart, keyEnd] = [0, 0]
    this.#stayed = this.#open.length
    for (let at = start; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (code === quote) {
        keyStart = at
        at = endOfString(text, at)
        keyEnd = at + 1
      } else if ((code | bracketBit) === opening) {
        this.#open.push({ isArray: code !== opening, keyStart, keyEnd })
      } else if ((code | bracketBit) === closing) {
        this.#open.pop()
        this.#stayed = Math.min(this.#stayed, this.#open.length)
      } else if (code === comma && at - start >= this.#pieceLength && this.#open.length > 0) return at
    }
    return text.length
  }

  /** The pieces do not have the comma between them, so `JSON.parse` does not notice one that separates nothing. */
  #expectMembersAround(place: number): void {
    let [before, after] = [place - 1, place + 1]
    while (isWhiteSpace(this.#text.charCodeAt(before))) before -= 1
    while (isWhiteSpace(this.#text.charCodeAt(after))) after += 1
    const next = this.#text.charCodeAt(after)
    const isBefore = (this.#text.charCodeAt(before) | bracketBit) !== opening
    const isAfter = next !== comma && (next | bracketBit) !== closing
    if (!isBefore || !isAfter) throw new SyntaxError('a comma separates nothing')
  }

  #take(before: readonly Frame[], piece: string): void {
    const last = before.length - 1
    const reopened = before.map(({ isArray }, level) => (isArray ? '[' : level < last ? `{"${this.#link}":` : '{'))
    const closed = this.#open.map(({ isArray }) => (isArray ? ']' : '}')).reverse()
    const value: unknown = JSON.parse(`${reopened.join('')}${piece}${closed.join('')}`)
    if (before.length === 0) this.#root = value
    else this.#append(value as Container)
    this.#follow()
  }

  /** Adds the members of a piece to the values that they belong to. */
  #append(value: Container): void {
    const last = this.#path.length - 1
    let from = value
    for (const [level, to] of this.#path.entries()) {
      const isLinked = level < last
      if (Array.isArray(from)) appendItems(from, to as unknown[], isLinked ? 1 : 0)
      else appendMembers(from, to as Record<string, unknown>, this.#link)
      if (isLinked) from = (Array.isArray(from) ? from[0] : from[this.#link]) as Container
    }
  }

  /** Finds the values that are open now: those that stayed open, and in the last of them those that are new. */
  #follow(): void {
    const path = this.#path.slice(0, this.#stayed)
    for (const { keyStart, keyEnd } of this.#open.slice(this.#stayed)) {
      const holder = path.at(-1)
      if (holder === undefined) path.push(this.#root as Container)
      else if (Array.isArray(holder)) path.push(holder.at(-1) as Container)
      else path.push(holder[JSON.parse(this.#text.slice(keyStart, keyEnd)) as string] as Container)
    }
    this.#path = path
  }
}

function appendItems(from: readonly unknown[], to: unknown[], start: number): void {
  for (let index = start; index < from.length; index += 1) to.push(from[index])
}

function appendMembers(from: Readonly<Record<string, unknown>>, to: Record<string, unknown>, link: string): void {
  for (const key of Object.keys(from)) if (key !== link) setMember(to, key, from[key])
}

/** The place of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) return at
    if (code === backslash) at += 1
  }
  return text.length
}
