// Compiles JSON Schemas. An instance of Ajv compiles the schema of schemas before it checks its first one, which takes
// about 20 ms. A schema comes with a request, and a plan may have one in each step, so one instance checks them all.
// Each schema is then compiled by an instance of its own, which takes about 1 ms and does not keep it.
import type { Options, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'

const checker = new Ajv2020({ strict: false, validateFormats: false, logger: false })

/** Throws an error that says what is wrong with the schema. */
export function compileSchema(schema: object, options: Options): ValidateFunction {
  checker.validateSchema(schema, true)
  return new Ajv2020({ ...options, validateSchema: false }).compile(schema)
}
