// What goes into and comes out of the threads that compile and check schemas.
import type { ErrorObject } from 'ajv'

export interface SchemaLimits {
  /** How many steps the patterns of a schema may take for one value. A step takes about 50 ns. */
  readonly maxPatternSteps: number
}

export interface SchemaJob {
  /** `output`: of a model, with all references inlined. `input`: of an operator's tool, which fills in defaults. */
  readonly kind: 'output' | 'input'
  /** JSON text. */
  readonly schema: string
  /** JSON text. Undefined: the schema is only compiled. */
  readonly value?: string
}

export type SchemaError = Pick<ErrorObject, 'instancePath' | 'keyword' | 'params' | 'message'>

export type SchemaOutcome =
  /** The schema cannot be used. */
  | { readonly problem: string }
  /** Without errors, the value matches. `value` is its JSON if defaults were filled in. */
  | { readonly errors: readonly SchemaError[]; readonly value?: string }
  | { readonly ended: 'too_expensive' | 'too_large' }
