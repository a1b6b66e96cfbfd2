// One row of the table of settings.
import type { Parser } from './parsers.ts'

/** `T` is the type of the parsed value, `D` that of the default. */
export interface Setting<T, D> {
  readonly name: string
  readonly parse: Parser<T>
  readonly default: D
  readonly meaning: string
  /** The default as shown in docs/configuration.md, if it is not the value itself. */
  readonly shownDefault?: string
  /** Whether messages must not quote the value. */
  readonly secret?: boolean
  /** Whether `NAME=` in an env file means "not set". For other settings, an empty value is most likely a mistake. */
  readonly emptyIsUnset?: boolean
}

// Lets TypeScript infer the value and default types of each row.
export function setting<T, const D extends T | undefined>(row: Setting<T, D>): Setting<T, D> {
  return row
}
