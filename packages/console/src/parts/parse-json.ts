// JSON that a person typed: the value, or a sentence about what is wrong with it.

export type ParsedJson = { readonly value: unknown } | { readonly problem: string }

class InexactNumber extends Error {}

/** A browser would round such a number in silence, and the service would get another one than was typed. */
const refuseInexact = (_key: string, value: unknown): unknown => {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) throw new InexactNumber()
  return value
}

export const parseJson = (text: string): ParsedJson => {
  if (text.trim() === '') return { problem: 'Enter JSON.' }
  try {
    return { value: JSON.parse(text, refuseInexact) }
  } catch (error) {
    if (error instanceof InexactNumber)
      return { problem: 'A number is too large to be sent exactly; write it as text.' }
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export type ParsedObject = { readonly value: Record<string, unknown> } | { readonly problem: string }

export const parseJsonObject = (text: string): ParsedObject => {
  const parsed = parseJson(text)
  if ('problem' in parsed) return parsed
  return isObject(parsed.value) ? { value: parsed.value } : { problem: 'This must be a JSON object: { … }.' }
}
