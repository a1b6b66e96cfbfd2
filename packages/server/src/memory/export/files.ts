// Exports memory as Markdown files: one per item, and an index that links to all of them.
import type { MemoryExport, MemoryItem } from '@runwright/contract'
import { frontMatter } from './front-matter.ts'
import { pathOf } from './path.ts'

type File = MemoryExport['files'][number]

/** The same item always gives the same bytes. */
export function itemFile(item: MemoryItem): File {
  const { content, embedding: _, ...fields } = item
  return { path: pathOf(item), content: `${frontMatter(fields)}\n# ${headingOf(item)}\n\n${content}\n` }
}

type IndexedItem = Omit<MemoryItem, 'content'>

export const indexPath = 'index.md'

/** The lines of the index. There may be many items, so it is not built as one text. */
export function* indexLines(items: Iterable<IndexedItem>): Generator<string, void, undefined> {
  yield '# Memory\n\n'
  let isEmpty = true
  for (const item of items) {
    yield indexLine(item)
    isEmpty = false
  }
  if (isEmpty) yield 'No items.\n'
}

// Links are percent-decoded, so percent signs that are part of a file name are encoded again.
const indexLine = (item: IndexedItem) =>
  `- [${headingOf(item)}](${pathOf(item).replaceAll('%', '%25')}) (${item.kind}, ${item.status})\n`

/** The title on one line, with Markdown characters escaped. */
function headingOf({ title }: IndexedItem): string {
  const line = title.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return line.replace(/[\\`*_{}[\]<>#&|~$!]/g, '\\$&') || 'Untitled'
}
