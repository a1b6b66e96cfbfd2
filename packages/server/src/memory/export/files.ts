// Exports memory as Markdown files: one per item, and an index that links to all of them.
import type { MemoryExport, MemoryItem } from '@runwright/contract'
import { frontMatter } from './front-matter.ts'
import { pathOf } from './path.ts'

type File = MemoryExport['files'][number]

/** The index, then the items in the given order. The same items always give the same bytes. */
export const toFiles = (items: readonly MemoryItem[]): File[] => [indexFile(items), ...items.map(itemFile)]

function itemFile(item: MemoryItem): File {
  const { content, embedding: _, ...fields } = item
  return { path: pathOf(item), content: `${frontMatter(fields)}\n# ${headingOf(item)}\n\n${content}\n` }
}

const indexFile = (items: readonly MemoryItem[]): File => ({
  path: 'index.md',
  content: `# Memory\n\n${items.length === 0 ? 'No items.\n' : items.map(indexLine).join('')}`,
})

// Links are percent-decoded, so percent signs that are part of a file name are encoded again.
const indexLine = (item: MemoryItem) =>
  `- [${headingOf(item)}](${pathOf(item).replaceAll('%', '%25')}) (${item.kind}, ${item.status})\n`

/** The title on one line, with Markdown characters escaped. */
function headingOf({ title }: MemoryItem): string {
  const line = title.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return line.replace(/[\\`*_{}[\]<>#&|~$!]/g, '\\$&') || 'Untitled'
}
