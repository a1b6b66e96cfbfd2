// What the palette offers, and what of it matches a text.

export interface PaletteEntry {
  readonly id: string
  readonly group: string
  readonly name: string
  /** Beside the name; it is searched, too. */
  readonly note?: string | undefined
  readonly open: () => void
}

const startsWord = (text: string, word: string): boolean =>
  text.split(/[\s_.:-]+/).some((part) => part.startsWith(word))

/** 0: the name begins with it; 1: a word of it does; 2: it is somewhere. Undefined: no match. */
const rankOf = ({ name, note = '' }: PaletteEntry, words: readonly string[]): number | undefined => {
  const [text, all] = [name.toLowerCase(), `${name} ${note}`.toLowerCase()]
  if (!words.every((word) => all.includes(word))) return undefined
  const first = words[0] ?? ''
  if (text.startsWith(first)) return 0
  return startsWord(text, first) ? 1 : 2
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().split(/\s+/).filter(Boolean)

/** All words must match. The best matches come first; those that match alike keep their order. */
export const matching = (entries: readonly PaletteEntry[], text: string): readonly PaletteEntry[] => {
  const words = wordsOf(text)
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry, words) }))
    .filter((one): one is { entry: PaletteEntry; rank: number } => one.rank !== undefined)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry)
}

/** In the order in which the groups first appear, so that each has one heading. */
export const grouped = (entries: readonly PaletteEntry[]): readonly PaletteEntry[] => {
  const groups = [...new Set(entries.map(({ group }) => group))]
  return groups.flatMap((group) => entries.filter((entry) => entry.group === group))
}
