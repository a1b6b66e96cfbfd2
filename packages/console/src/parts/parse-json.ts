// Parses JSON from a form field: returns the value or a description of the problem.

type ParsedJson = { readonly value: unknown } | { readonly problem: string }

class InexactNumber extends Error {}

/** The browser would silently round such a number, so the service would receive a different one. */
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
      return { problem: 'A number is too large to be sent exactly. Enter it as a string.' }
    return { problem: `This is not valid JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type ParsedObject = { readonly value: Record<string, unknown> } | { readonly problem: string }

export const parseJsonObject = (text: string): ParsedObject => {
  const parsed = parseJson(text)
  if ('problem' in parsed) return parsed
  return isObject(parsed.value) ? { value: parsed.value } : { problem: 'This must be a JSON object: { … }.' }
}
