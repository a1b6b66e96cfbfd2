// Where an item stands in the export. A label is any text: it must neither leave the tree nor pass for `_`, "no label".
import type { MemoryItem } from '@runwright/contract'

const maxSlugLength = 60

const percent = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

/** Decodes to the label again. A dot at either end is encoded: that takes care of `.`, `..` and hidden folders. */
export const encodePart = (label: string): string =>
  label === '_' ? percent('_') : encodeURIComponent(label).replace(/[!'()*~]|^\.|\.$/g, percent)

const partOf = (label: string | null) => (label === null ? '_' : encodePart(label))

/** The title in lower case ASCII words; accents are dropped, other scripts too. */
export function slugOf(title: string): string {
  const letters = title
    .slice(0, 4 * maxSlugLength)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
  const slug = letters.replace(/[^a-z0-9]+/g, '-').replace(/^-/, '')
  return slug.slice(0, maxSlugLength).replace(/-$/, '') || 'untitled'
}

export const pathOf = ({ id, workspace_id, subject_id, kind, title }: MemoryItem): string =>
  `workspaces/${partOf(workspace_id)}/subjects/${partOf(subject_id)}/${kind}/${slugOf(title)}-${id}.md`
