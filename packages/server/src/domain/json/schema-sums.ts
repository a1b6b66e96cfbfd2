// How large several schemas are together: each one is small, but all of them are compiled.
import type { OutputSchema } from './output-schema.ts'

/** After references are inlined. */
const maxTogether = { parts: 5_000, patternSize: 50_000, length: 1_048_576 }
type Sum = keyof typeof maxTogether
const names = Object.keys(maxTogether) as Sum[]

const words: Readonly<Record<Sum, string>> = {
  parts: 'parts',
  patternSize: 'instructions in their patterns',
  length: 'characters',
}

export class SchemaSums {
  readonly #sums = { parts: 0, patternSize: 0, length: 0 }

  /** What is wrong with the schema and those before it, after the name of its field. Undefined: nothing. */
  add({ parts, patternSize, text }: OutputSchema): string | undefined {
    this.#sums.parts += parts
    this.#sums.patternSize += patternSize
    this.#sums.length += text.length
    const exceeded = this.#exceeded
    if (exceeded === undefined) return undefined
    const limit = maxTogether[exceeded].toLocaleString('en')
    return `and those of earlier steps have more than ${limit} ${words[exceeded]} together`
  }

  /** Then every further schema is one too many. */
  get isExceeded(): boolean {
    return this.#exceeded !== undefined
  }

  get #exceeded(): Sum | undefined {
    return names.find((name) => this.#sums[name] > maxTogether[name])
  }
}
