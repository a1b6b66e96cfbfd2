// Parses the arguments of a tool call. Some servers encode them twice, and some send nothing if there are none.
import { parseModelJson } from '../../../domain/json/model-json.ts'

/** Arguments that are not JSON stay text. The tool then refuses them with a message that the model sees. */
export function readArguments(text: string): unknown {
  if (text.trim() === '') return {}
  const parsed = parseModelJson(text)
  if (parsed === undefined) return text
  if (typeof parsed.value !== 'string') return parsed.value
  const inner = parseModelJson(parsed.value)
  return inner !== undefined && typeof inner.value === 'object' ? inner.value : parsed.value
}
