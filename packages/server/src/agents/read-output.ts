// Reads a model's structured answer, tolerant of text around the JSON.
import { findModelJson } from '../domain/json/model-json.ts'
import type { ModelReply } from '../models/port/model.ts'

type ReadOutput = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string }

type Said = Pick<ModelReply, 'text' | 'output'>

/** The JSON in the model's answer. Not checked against a schema. */
export function readJson({ text, output }: Said): ReadOutput {
  if (output !== undefined) return { ok: true, value: output }
  const found = findModelJson(text)
  if (found) return { ok: true, value: found.value }
  return { ok: false, problem: text.trim() === '' ? 'the answer is empty' : 'the answer holds no JSON' }
}

/** The message to a model whose answer could not be used. */
export const repairRequest = (problem: string): string =>
  `Your answer cannot be used: ${problem}. Answer again with the corrected JSON and nothing else.`
