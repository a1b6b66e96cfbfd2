// Finds the old and the new text among the arguments of a call, as tools that edit name them: `old_text` and
// `new_text`, `before` and `after`. They are shown as one comparison.
export interface TextPair {
  readonly oldName: string
  readonly newName: string
  readonly oldText: string
  readonly newText: string
}

const words: Readonly<Record<string, string>> = {
  old: 'new',
  before: 'after',
  previous: 'next',
  original: 'updated',
  current: 'proposed',
}

/** `old_text` → `new_text`, `oldText` → `newText`, `text_before` → `text_after`. */
const partnersOf = (name: string): readonly string[] =>
  Object.entries(words).flatMap(([old, fresh]) => {
    const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
    if (name === old || name.startsWith(`${old}_`) || (/^[A-Z]/.test(name.slice(old.length)) && name.startsWith(old))) {
      return [fresh + name.slice(old.length)]
    }
    if (name.endsWith(`_${old}`)) return [name.slice(0, -old.length) + fresh]
    return name.endsWith(capital(old)) ? [name.slice(0, -old.length) + capital(fresh)] : []
  })

export const textPairsOf = (value: Readonly<Record<string, unknown>>): readonly TextPair[] =>
  Object.entries(value).flatMap(([oldName, oldText]) => {
    if (typeof oldText !== 'string') return []
    const newName = partnersOf(oldName).find((name) => Object.hasOwn(value, name))
    const newText = newName === undefined ? undefined : value[newName]
    return newName !== undefined && typeof newText === 'string' ? [{ oldName, newName, oldText, newText }] : []
  })
