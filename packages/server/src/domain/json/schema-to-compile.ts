// A schema that was read and is small enough. It can be used once a worker thread has compiled it.
import { type JsonLocation, showLocation } from '@runwright/contract'
import type { ServiceError } from '../service-error.ts'
import type { SchemaProblem } from './output-schema.ts'

export interface SchemaToCompile {
  /** What is compiled. */
  readonly text: string
  /** The error of a request whose schema does not compile. `problem` follows the name of the field in a sentence. */
  readonly refuse: (problem: string) => ServiceError
}

/** Begins with the field: `output_schema.properties.code.pattern is …`. */
export const describeSchemaProblem = (field: JsonLocation, { at, problem }: SchemaProblem): string =>
  `${showLocation([...field, ...at])} ${problem}`
