// Reads a JSON Schema for the output of a model, as clients, models and agent files give it. A hostile schema must not
// be able to hold the process or to fill its memory. So references are inlined and may not recurse, and what it would
// compile to is measured before anything is compiled: `$defs` and `a{1000}` make a small text large. Then a worker
// thread compiles it (runtime/schemas).
import type { JsonLocation } from '@runwright/contract'
import { SchemaReader, SchemaRefused } from './schema-reader.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

export interface OutputSchema {
  /** As it was given, for the provider and the prompt. */
  readonly schema: JsonSchema
  /** What is compiled: JSON without references, and without what is only told to the model. */
  readonly text: string
  /** How many schemas it consists of, after all references are inlined. */
  readonly parts: number
  /** How large all its patterns are together. */
  readonly patternSize: number
}

/** Why a schema cannot be used. */
export interface SchemaProblem {
  /** Where in the schema; empty for all of it. */
  readonly at: JsonLocation
  /** Follows the location in a sentence, without a full stop. */
  readonly problem: string
}

const maxLength = 32_768

export function readOutputSchema(given: unknown): OutputSchema | SchemaProblem {
  if (!isSchema(given)) return refuse('must be a JSON Schema object')
  const length = lengthOf(given)
  if (length === undefined) return refuse('nests too deeply or contains itself')
  if (length > maxLength) return refuse(`is longer than ${maxLength} characters`)
  try {
    return { schema: given, ...new SchemaReader(given).read() }
  } catch (error) {
    if (error instanceof SchemaRefused) return { at: error.at, problem: error.message }
    throw error
  }
}

export const isSchemaProblem = (read: OutputSchema | SchemaProblem): read is SchemaProblem => 'problem' in read

const refuse = (problem: string): SchemaProblem => ({ at: [], problem })

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Undefined: a plan of a model, or YAML, may nest so deeply that it cannot be written, or contain itself. */
function lengthOf(schema: JsonSchema): number | undefined {
  try {
    return JSON.stringify(schema).length
  } catch {
    return undefined
  }
}
