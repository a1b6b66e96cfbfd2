// YAML front matter. Every text is written as a JSON string, which is valid YAML for any text.

type FrontMatterValue = string | number | boolean | null | readonly string[]

// JSON does not escape these; YAML reads some of them as line breaks and rejects the others.
const unprintable = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

const escapeCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

const quote = (text: string) => JSON.stringify(text).replace(unprintable, escapeCharacter)

// YAML 1.1 reads `1e-7` as text; every version reads `1.0e-7` as a number.
const writeNumber = (value: number) => String(value).replace(/^(-?\d+)e/, '$1.0e')

function writeValue(value: FrontMatterValue): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number') return writeNumber(value)
  if (typeof value === 'object' && value !== null) return `[${value.map(quote).join(', ')}]`
  return String(value)
}

export function frontMatter(fields: Readonly<Record<string, FrontMatterValue>>): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${writeValue(value)}`)
  return ['---', ...lines, '---', ''].join('\n')
}
