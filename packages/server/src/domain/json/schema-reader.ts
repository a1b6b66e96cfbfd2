// Writes a JSON Schema without references, and measures it on the way. Each step of the walk adds to what is written,
// and the walk ends at the first limit, so its time is bounded whatever the references multiply.
import type { JsonLocation } from '@runwright/contract'
import { measurePattern } from './pattern-size.ts'
import { type KeywordKind, refusedKeywords, schemaKeywords } from './schema-keywords.ts'

type Schema = Readonly<Record<string, unknown>>

/** Each part takes about 0.2 ms to compile. */
const maxParts = 500
const maxDepth = 64
/** Of the text without references. */
const maxInlinedLength = 131_072
/** Of all patterns of a schema together. An instruction takes 1 to 4 µs to compile, and about 200 bytes. */
export const maxPatternSize = 10_000
const maxPatternDepth = 100

export class SchemaRefused extends Error {
  readonly at: JsonLocation

  constructor(at: JsonLocation, problem: string) {
    super(problem)
    this.at = at
  }
}

export class SchemaReader {
  readonly #root: Schema
  /** Where the walk is. Behind a reference, this is the place of the definition. */
  #location: (string | number)[] = []
  /** The references that the walk is behind. */
  readonly #followed = new Set<string>()
  readonly #patterns = new Set<string>()
  #depth = 0
  #parts = 0
  #length = 0
  #patternSize = 0

  constructor(root: Schema) {
    this.#root = root
  }

  read(): { readonly text: string; readonly parts: number; readonly patternSize: number } {
    const text = this.#writeSchema(this.#root)
    return { text, parts: this.#parts, patternSize: Math.ceil(this.#patternSize) }
  }

  /** What is no schema is written as it is. The compiler says what is wrong with it. */
  #writeSchema(schema: unknown): string {
    if (!isObject(schema)) return this.#writeValue(schema)
    this.#parts += 1
    if (this.#parts > maxParts) this.#refuseAll(`has more than ${maxParts} parts`)
    if (this.#depth >= maxDepth) this.#refuse(`nests too deeply: at most ${maxDepth} levels are allowed`)
    const refused = refusedKeywords.find((keyword) => Object.hasOwn(schema, keyword))
    if (refused !== undefined) this.#refuse(`has a ${refused}: only $ref is supported`)
    this.#depth += 1
    const members = this.#writeMembers(schema)
    const text = Object.hasOwn(schema, '$ref') ? this.#writeReference(schema.$ref, members) : braced(members)
    this.#depth -= 1
    return text
  }

  #writeMembers(schema: Schema): string[] {
    const members: string[] = []
    for (const [keyword, value] of Object.entries(schema)) {
      const kind = schemaKeywords.get(keyword)
      // A definition with thousands of keywords that are skipped may be used hundreds of times.
      if (kind === undefined) this.#count(1)
      else members.push(this.#writeMember(keyword, () => this.#writeKeyword(kind, value)))
    }
    return members
  }

  #writeMember(name: string, write: () => string): string {
    const key = this.#writeValue(name)
    this.#location.push(name)
    const value = write()
    this.#location.pop()
    return `${key}:${value}`
  }

  #writeKeyword(kind: KeywordKind, value: unknown): string {
    if (kind === 'schema') return this.#writeSchema(value)
    if (kind === 'list' && Array.isArray(value)) return this.#writeList(value)
    if ((kind === 'map' || kind === 'patterns') && isObject(value)) return this.#writeMap(value, kind === 'patterns')
    if (kind === 'pattern' && typeof value === 'string') this.#countPattern(value)
    return this.#writeValue(value)
  }

  #writeList(schemas: readonly unknown[]): string {
    const items = schemas.map((schema, index) => {
      this.#location.push(index)
      const item = this.#writeSchema(schema)
      this.#location.pop()
      return item
    })
    return `[${items.join(',')}]`
  }

  #writeMap(schemas: Schema, hasPatterns: boolean): string {
    const members = Object.entries(schemas).map(([name, schema]) =>
      this.#writeMember(name, () => {
        if (hasPatterns) this.#countPattern(name)
        return this.#writeSchema(schema)
      }),
    )
    return braced(members)
  }

  #writeValue(value: unknown): string {
    const text = JSON.stringify(value) ?? 'null'
    // One more for the comma or colon.
    this.#count(text.length + 1)
    return text
  }

  #count(characters: number): void {
    this.#length += characters
    if (this.#length > maxInlinedLength)
      this.#refuseAll(`is longer than ${maxInlinedLength} characters when its references are inlined`)
  }

  /** What stands beside a reference applies as well. */
  #writeReference(reference: unknown, beside: readonly string[]): string {
    if (typeof reference !== 'string') return this.#refuse('has a $ref that is not a text')
    if (this.#followed.has(reference)) this.#refuse(`refers to itself through ${JSON.stringify(reference)}`)
    // A reference alone is no part, but following many takes time.
    this.#count(reference.length)
    if (beside.length === 0) this.#parts -= 1
    const [target, at] = this.#targetOf(reference)
    const place = this.#location
    this.#location = at
    this.#followed.add(reference)
    const text = this.#writeSchema(target)
    this.#followed.delete(reference)
    this.#location = place
    if (beside.length === 0) return text
    const allOf = beside.find((member) => member.startsWith('"allOf":'))
    const others = beside.filter((member) => member !== allOf)
    return braced([...others, `"allOf":[${allOf === undefined ? '' : `{${allOf}},`}${text}]`])
  }

  #targetOf(reference: string): [target: unknown, at: string[]] {
    const [, holder = '', pointer = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? []
    const name = pointer.replaceAll('~1', '/').replaceAll('~0', '~')
    const definitions = this.#root[holder]
    const target = isObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined
    if (!isObject(target) && typeof target !== 'boolean')
      this.#refuse(`has a reference that leads nowhere: ${JSON.stringify(reference)}`)
    return [target, [holder, name]]
  }

  /** The same pattern is compiled once. */
  #countPattern(pattern: string): void {
    if (this.#patterns.has(pattern)) return
    this.#patterns.add(pattern)
    const measured = measurePattern(pattern)
    if (measured === undefined) throw this.#refusal('is not a regular expression in RE2 syntax')
    if (measured.depth > maxPatternDepth)
      this.#refuse(`nests too deeply: at most ${maxPatternDepth} levels of groups are allowed`)
    this.#patternSize += measured.size
    if (this.#patternSize > maxPatternSize)
      this.#refuse(
        `is too large: the patterns of a schema may have ${maxPatternSize} instructions together, and each ` +
          'repetition counts',
      )
  }

  #refuse(problem: string): never {
    throw this.#refusal(problem)
  }

  #refusal(problem: string): SchemaRefused {
    return new SchemaRefused([...this.#location], problem)
  }

  #refuseAll(problem: string): never {
    throw new SchemaRefused([], problem)
  }
}

const braced = (members: readonly string[]): string => `{${members.join(',')}}`

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
