// How large the program of a regular expression in RE2 syntax is, computed from its text in linear time. The program
// itself would be too large to build: `a{1000}` has a thousand instructions, and 400 of them in a row need 1 GB.

export interface PatternSize {
  /** At least the number of instructions, plus what its character classes cost to build. */
  readonly size: number
  /** How deep its groups nest. */
  readonly depth: number
}

/** To build a class such as `\pL`, with hundreds of ranges, takes as long as so many instructions. */
const unicodeClassSize = 50
/** Without regard to case, a range is read character by character: so many take as long as an instruction. */
const foldedCharactersPerInstruction = 50

/** Undefined: a group, a class or an escape has no end. What else is wrong with a pattern is found when it compiles. */
export function measurePattern(pattern: string): PatternSize | undefined {
  return new PatternScanner(pattern).measure()
}

/** An open group. */
class Group {
  readonly isCapture: boolean
  /** The alternatives that have ended, and what has ended in the current one. */
  #size = 0
  /** The last item, which a repetition may follow. */
  #last = 0
  #isEmpty = true

  constructor(isCapture: boolean) {
    this.isCapture = isCapture
  }

  add(size: number): void {
    this.#size += this.#last
    this.#last = size
    this.#isEmpty = false
  }

  /** `more` is for the jumps of a repetition. */
  repeat(times: number, more: number): void {
    this.#last = Math.max(1, this.#last * times + more)
  }

  /** An alternative needs a jump, and an empty one is an instruction, too. */
  endAlternative(): void {
    this.#size += this.#last + (this.#isEmpty ? 2 : 1)
    this.#last = 0
    this.#isEmpty = true
  }

  get size(): number {
    return this.#size + this.#last + (this.#isEmpty ? 1 : 0) + (this.isCapture ? 2 : 0)
  }
}

class PatternScanner {
  readonly #pattern: string
  #at = 0
  readonly #groups = [new Group(false)]
  #depth = 0
  #classesSize = 0
  /** Once `(?i)` was seen anywhere. */
  #foldsCase = false

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  measure(): PatternSize | undefined {
    while (this.#at < this.#pattern.length) if (!this.#readItem()) return undefined
    const [whole, ...open] = this.#groups
    if (whole === undefined || open.length > 0) return undefined
    return { size: whole.size + this.#classesSize, depth: this.#depth }
  }

  get #group(): Group {
    return this.#groups.at(-1) as Group
  }

  /** False if what begins here has no end. */
  #readItem(): boolean {
    const char = this.#pattern[this.#at]
    if (char === '(') return this.#openGroup()
    if (char === ')') return this.#closeGroup()
    if (char === '[') return this.#readClass()
    if (char === '\\') return this.#readEscape()
    if (char === '{' && this.#readCount()) return true
    this.#at += this.#charLength
    if (char === '|') this.#group.endAlternative()
    else if (char === '*') this.#group.repeat(1, 2)
    else if (char === '+' || char === '?') this.#group.repeat(1, 1)
    else this.#group.add(1)
    return true
  }

  get #charLength(): number {
    return (this.#pattern.codePointAt(this.#at) ?? 0) > 0xffff ? 2 : 1
  }

  #openGroup(): boolean {
    this.#at += 1
    if (!this.#skip('?')) return this.#pushGroup(true)
    if (this.#skip('P<') || this.#skip('<')) return this.#pushGroup(true)
    return this.#readFlags()
  }

  #pushGroup(isCapture: boolean): true {
    this.#groups.push(new Group(isCapture))
    this.#depth = Math.max(this.#depth, this.#groups.length - 1)
    return true
  }

  /** `(?i)` sets a flag until the end of its group, `(?i:` for a group of its own. */
  #readFlags(): boolean {
    while (this.#at < this.#pattern.length) {
      const char = this.#pattern[this.#at]
      this.#at += 1
      if (char === ')') return true
      if (char === 'i') this.#foldsCase = true
      else if (!/[msU-]/.test(char as string)) return this.#pushGroup(false)
    }
    return false
  }

  #closeGroup(): boolean {
    this.#at += 1
    if (this.#groups.length === 1) return false
    const { size } = this.#groups.pop() as Group
    this.#group.add(size)
    return true
  }

  /** `{2}`, `{2,}` or `{2,5}`. Anything else is text. */
  #readCount(): boolean {
    const start = this.#at
    this.#at += 1
    const least = this.#readNumber()
    const isOpen = least !== undefined && this.#skip(',')
    const most = isOpen ? this.#readNumber() : least
    if (least === undefined || !this.#skip('}')) {
      this.#at = start
      return false
    }
    if (most === undefined) this.#group.repeat(Math.max(1, least), 2)
    else this.#group.repeat(most, Math.max(0, most - least))
    return true
  }

  #readNumber(): number | undefined {
    const start = this.#at
    while (isDigit(this.#pattern[this.#at])) this.#at += 1
    const digits = this.#pattern.slice(start, this.#at)
    return digits === '' || (digits.length > 1 && digits.startsWith('0')) ? undefined : Number(digits)
  }

  #readEscape(): boolean {
    if (this.#skip('\\Q')) return this.#readQuoted()
    const isClass = this.#readUnicodeClass()
    if (isClass === undefined) return this.#readEscaped() !== undefined && this.#addOne()
    return isClass && this.#addOne()
  }

  #addOne(): true {
    this.#group.add(1)
    return true
  }

  /** `\Q…\E` is text, and so is what follows a `\Q` without an end. */
  #readQuoted(): true {
    const end = this.#pattern.indexOf('\\E', this.#at)
    const text = this.#pattern.slice(this.#at, end < 0 ? undefined : end)
    for (const _ of text) this.#group.add(1)
    this.#at += text.length + (end < 0 ? 0 : 2)
    return true
  }

  /** `\pL` or `\p{Greek}`. Undefined if there is none here, false if it has no end. */
  #readUnicodeClass(): boolean | undefined {
    if (!this.#skip('\\p') && !this.#skip('\\P')) return undefined
    this.#classesSize += unicodeClassSize * (this.#foldsCase ? 2 : 1)
    const isNamed = this.#pattern[this.#at] === '{'
    const end = isNamed ? this.#pattern.indexOf('}', this.#at) : this.#at + this.#charLength - 1
    if (end < 0 || end >= this.#pattern.length) return false
    this.#at = end + 1
    return true
  }

  /** `[…]`. A `]` at its beginning is text, and so is a `[` that begins no `[:name:]`. */
  #readClass(): boolean {
    this.#at += 1
    this.#skip('^')
    for (let isFirst = true; this.#at < this.#pattern.length; isFirst = false) {
      if (!isFirst && this.#skip(']')) return this.#addOne()
      if (!this.#readClassItem()) return false
      this.#classesSize += 1
    }
    return false
  }

  #readClassItem(): boolean {
    if (this.#pattern.startsWith('[:', this.#at)) return this.#readNamedClass()
    const isClass = this.#readUnicodeClass()
    if (isClass !== undefined) return isClass
    const from = this.#readClassChar()
    const isRange = this.#pattern[this.#at] === '-' && this.#pattern[this.#at + 1] !== ']'
    if (from === undefined || !isRange) return from !== undefined
    this.#at += 1
    const to = this.#readClassChar()
    if (to !== undefined && this.#foldsCase)
      this.#classesSize += Math.max(0, to - from) / foldedCharactersPerInstruction
    return to !== undefined
  }

  /** Searched in a few characters only: names are short, and a class may have many `[:`. */
  #readNamedClass(): true {
    const name = /^\[:\^?[a-z]{0,10}:\]/.exec(this.#pattern.slice(this.#at, this.#at + 16))?.[0] ?? '['
    this.#at += name.length
    return true
  }

  #readClassChar(): number | undefined {
    if (this.#pattern[this.#at] === '\\') return this.#readEscaped()
    const char = this.#pattern.codePointAt(this.#at)
    this.#at += this.#charLength
    return char
  }

  /** `\n`, `\x41`, `\x{1F600}` or any other escape of one character. Undefined if it has no end. */
  #readEscaped(): number | undefined {
    const [text, wide, narrow] = escaped.exec(this.#pattern.slice(this.#at, this.#at + maxEscapeLength)) ?? []
    if (text === undefined) return undefined
    this.#at += text.length
    return Number.parseInt(wide ?? narrow ?? '', 16) || text.codePointAt(1)
  }

  #skip(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }
}

const escaped = /^\\(?:x\{([0-9a-fA-F]{1,8})\}|x([0-9a-fA-F]{2})|[0-7]{2,3}|[\s\S])/u
const maxEscapeLength = 13

const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9'
