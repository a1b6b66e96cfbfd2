// Data entered as fields: a name, a type and a value each. They become one JSON object.

export const entryTypes = ['text', 'number', 'yes or no'] as const
export type EntryType = (typeof entryTypes)[number]

export interface Entry {
  readonly name: string
  readonly type: EntryType
  readonly value: string
}

export const emptyEntry: Entry = { name: '', type: 'text', value: '' }

const numberPattern = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

const parsedValue = ({ name, type, value }: Entry): { readonly value: unknown } | { readonly problem: string } => {
  if (type === 'text') return { value }
  if (type === 'yes or no') return { value: value === 'yes' }
  const text = value.trim()
  if (!numberPattern.test(text)) return { problem: `“${name}” must be a number, such as 12.5.` }
  const number = Number(text)
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    return { problem: `“${name}” is too large to be sent exactly. Send it as text.` }
  return { value: number }
}

/** Entries that are empty altogether are left out. */
export const objectOf = (
  entries: readonly Entry[],
): { readonly value: Readonly<Record<string, unknown>> } | { readonly problem: string } => {
  const filled = entries.filter(({ name, value }) => name.trim() !== '' || value !== '')
  if (filled.length === 0) return { problem: 'Enter at least one field.' }
  const value: Record<string, unknown> = {}
  for (const entry of filled) {
    const name = entry.name.trim()
    if (name === '') return { problem: `Name the field with the value “${entry.value}”.` }
    if (Object.hasOwn(value, name)) return { problem: `“${name}” is there twice.` }
    const parsed = parsedValue({ ...entry, name })
    if ('problem' in parsed) return parsed
    Object.defineProperty(value, name, { value: parsed.value, enumerable: true, configurable: true, writable: true })
  }
  return { value }
}
