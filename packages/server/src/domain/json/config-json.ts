// Parses a JSON file that the operator writes. As strict as for clients: of a key that stands there twice, the usual
// parser keeps the last one, and a rule would be gone without a word.
import { parseStrictJson, type StrictJson } from './strict-json.ts'

const maxDepth = 64

export function parseConfigJson(text: string): StrictJson {
  const parsed = parseStrictJson(text, { maxDepth })
  return parsed.ok ? parsed : { ok: false, problem: parsed.problem.replace(/^The body/, 'the file') }
}
