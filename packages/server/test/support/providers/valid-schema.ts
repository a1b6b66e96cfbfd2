// Whether a schema is valid JSON Schema. The same tools come with every request and compiling them takes long, so what
// was found is kept.
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { JsonObject } from './script.ts'

const found = new Map<string, string | undefined>()

/** What is wrong with the schema; undefined: nothing. */
export function schemaProblem({ $schema: _, ...schema }: JsonObject): string | undefined {
  const text = JSON.stringify(schema)
  if (!found.has(text)) found.set(text, compile(schema))
  return found.get(text)
}

// One instance for all: each would compile the schema of schemas again, which holds up the service in this process.
const ajv = new Ajv2020({ strict: false, validateFormats: false })

function compile(schema: JsonObject): string | undefined {
  try {
    ajv.compile(schema)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
