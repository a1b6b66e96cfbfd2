// The arguments of a tool call as a model wrote them. Some servers encode them twice, some send nothing for none.
import { parseModelJson } from '../../domain/json/model-json.ts'

/** Arguments that are not JSON stay text: the tool refuses them in words that the model sees. */
export function readArguments(text: string): unknown {
  if (text.trim() === '') return {}
  const parsed = parseModelJson(text)
  if (parsed === undefined) return text
  if (typeof parsed.value !== 'string') return parsed.value
  const inner = parseModelJson(parsed.value)
  return inner !== undefined && typeof inner.value === 'object' ? inner.value : parsed.value
}
