// Filters the loaded items by kind and by words: the API has neither.
import type { MemoryItem, MemoryKind } from '@runwright/contract'

const textOf = ({ title, content, tags }: MemoryItem) => [title, content, ...tags].join('\n').toLowerCase()

/** Every word must be in the title, the content or a tag. */
export const matchingItems = (
  items: readonly MemoryItem[],
  { kind, words }: { readonly kind: MemoryKind | undefined; readonly words: string },
): readonly MemoryItem[] => {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  return items.filter(
    (item) => (kind === undefined || item.kind === kind) && wanted.every((word) => textOf(item).includes(word)),
  )
}
