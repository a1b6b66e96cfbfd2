// Reads JSON text token by token and reports what is wrong with it and where. Exact but slow: `parseInParts` uses it
// only when it suspects a problem. Iterative, so that a text of 200,000 opening brackets cannot overflow the stack.
// Messages name keys and positions but never repeat a value, which may be a secret.
import { showLocation } from '@runwright/contract'
import { finish } from '../finish.ts'

interface Frame {
  readonly closer: ']' | '}'
  /** Keys seen so far; undefined for an array. */
  readonly keys: Set<string> | undefined
  part: string | number
  members: number
}

class JsonProblem extends Error {}

const whiteSpace = /[ \t\n\r]*/y
const numberLiteral = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const wordLiteral = /true|false|null/y
const integerLiteral = /^-?\d+$/
const loneSurrogate = /[\ud800-\udfff]/u

/** The first problem in reading order, as a sentence; undefined when the text is acceptable JSON. */
export const findJsonProblem = (text: string, maxDepth: number): string | undefined =>
  finish(findProblemInParts(text, maxDepth))

/** How many members are read before the work can be interrupted. */
const membersAtOnce = 2_000

/** As `findJsonProblem`. Yields where the work can be interrupted. */
export function* findProblemInParts(text: string, maxDepth: number): Generator<void, string | undefined> {
  try {
    yield* new JsonReader(text, maxDepth).readDocument()
    return undefined
  } catch (error) {
    if (error instanceof JsonProblem) return error.message
    throw error
  }
}

class JsonReader {
  private readonly text: string
  private readonly maxDepth: number
  private readonly frames: Frame[] = []
  private at = 0

  constructor(text: string, maxDepth: number) {
    this.text = text
    this.maxDepth = maxDepth
  }

  *readDocument(): Generator<void, void> {
    this.startValue()
    let read = 0
    for (let frame = this.frames.at(-1); frame !== undefined; frame = this.frames.at(-1)) {
      this.continueContainer(frame)
      read += 1
      if (read % membersAtOnce === 0) yield
    }
    this.match(whiteSpace)
    if (this.at < this.text.length) this.failSyntax()
  }

  /** Reads a whole scalar, or the opening bracket of an object or array. */
  private startValue(): void {
    this.match(whiteSpace)
    const first = this.text[this.at]
    if (first === '{') this.open({ closer: '}', keys: new Set(), part: '', members: 0 })
    else if (first === '[') this.open({ closer: ']', keys: undefined, part: 0, members: 0 })
    else if (first === '"') this.checkCharacters(this.readString())
    else this.readNumberOrWord()
  }

  private open(frame: Frame): void {
    if (this.frames.length >= this.maxDepth) {
      this.fail(`nests too deeply: at most ${this.maxDepth} levels are allowed, including the body itself`)
    }
    this.frames.push(frame)
    this.at += 1
  }

  /** Reads one member, or the closing bracket. */
  private continueContainer(frame: Frame): void {
    this.match(whiteSpace)
    if (this.text[this.at] === frame.closer) {
      this.at += 1
      this.frames.pop()
      return
    }
    if (frame.members > 0) this.expect(',')
    frame.members += 1
    if (frame.keys === undefined) frame.part = frame.members - 1
    else this.readKey(frame, frame.keys)
    this.startValue()
  }

  private readKey(frame: Frame, keys: Set<string>): void {
    this.match(whiteSpace)
    if (this.text[this.at] !== '"') this.failSyntax()
    const key = this.readString()
    frame.part = key
    this.checkCharacters(key)
    if (key === '__proto__') this.fail('is not an allowed key')
    if (keys.has(key)) this.fail('is a duplicate key')
    keys.add(key)
    this.match(whiteSpace)
    this.expect(':')
  }

  private readString(): string {
    const start = this.at
    do {
      this.at += this.text[this.at] === '\\' ? 2 : 1
      if (this.at >= this.text.length) this.failSyntax()
    } while (this.text[this.at] !== '"')
    this.at += 1
    try {
      return JSON.parse(this.text.slice(start, this.at)) as string
    } catch {
      return this.failSyntax()
    }
  }

  private readNumberOrWord(): void {
    if (this.match(wordLiteral) !== '') return
    const literal = this.match(numberLiteral)
    if (literal === '') this.failSyntax()
    const value = Number(literal)
    if (!Number.isSafeInteger(value) && integerLiteral.test(literal))
      this.fail('is an integer outside ±(2^53−1); send it as a string')
    if (!Number.isFinite(value)) this.fail('is a number that is too large')
  }

  private checkCharacters(text: string): void {
    if (text.includes('\0')) this.fail('contains the character U+0000')
    if (loneSurrogate.test(text)) this.fail('contains a lone surrogate')
  }

  private expect(character: string): void {
    if (this.text[this.at] !== character) this.failSyntax()
    this.at += 1
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0] ?? ''
    this.at += found.length
    return found
  }

  private fail(problem: string): never {
    throw new JsonProblem(`${showLocation(this.frames.map((frame) => frame.part))} ${problem}.`)
  }

  private failSyntax(): never {
    const what = this.at < this.text.length ? `unexpected text at character ${this.at + 1}` : 'it ends unexpectedly'
    throw new JsonProblem(`The body is not valid JSON: ${what}.`)
  }
}
