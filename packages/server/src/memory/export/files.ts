// Memory as a tree of Markdown files: one an item, and an index that links them all.
import type { MemoryExport, MemoryItem } from '@runwright/contract'
import { frontMatter } from './front-matter.ts'
import { pathOf } from './path.ts'

type File = MemoryExport['files'][number]

/** The index, then the items in the order given. The same items give the same bytes. */
export const toFiles = (items: readonly MemoryItem[]): File[] => [indexFile(items), ...items.map(itemFile)]

function itemFile(item: MemoryItem): File {
  const { content, embedding: _, ...fields } = item
  return { path: pathOf(item), content: `${frontMatter(fields)}\n# ${headingOf(item)}\n\n${content}\n` }
}

const indexFile = (items: readonly MemoryItem[]): File => ({
  path: 'index.md',
  content: `# Memory\n\n${items.length === 0 ? 'No items.\n' : items.map(indexLine).join('')}`,
})

// A link is decoded before it is looked up, so the percent signs that belong to a file's name are encoded once more.
const indexLine = (item: MemoryItem) =>
  `- [${headingOf(item)}](${pathOf(item).replaceAll('%', '%25')}) (${item.kind}, ${item.status})\n`

/** The title on one line, with nothing in it that Markdown would read. */
function headingOf({ title }: MemoryItem): string {
  const line = title.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return line.replace(/[\\`*_{}[\]<>#&|~$!]/g, '\\$&') || 'Untitled'
}
