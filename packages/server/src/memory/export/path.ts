// The path of an item in the export. A label is any text, so it is encoded: it must not leave the folder, and must not
// look like `_`, which means "no label".
import type { MemoryItem } from '@runwright/contract'

const maxSlugLength = 60

const percent = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

/** Percent-decoding gives the label again. Dots at either end are encoded because of `.`, `..` and hidden folders. */
export const encodePart = (label: string): string =>
  label === '_' ? percent('_') : encodeURIComponent(label).replace(/[!'()*~]|^\.|\.$/g, percent)

const partOf = (label: string | null) => (label === null ? '_' : encodePart(label))

/** The title as lower case ASCII words; accents and other scripts are dropped. */
export function slugOf(title: string): string {
  const letters = title
    .slice(0, 4 * maxSlugLength)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
  const slug = letters.replace(/[^a-z0-9]+/g, '-').replace(/^-/, '')
  return slug.slice(0, maxSlugLength).replace(/-$/, '') || 'untitled'
}

export const pathOf = ({ id, workspace_id, subject_id, kind, title }: Omit<MemoryItem, 'content'>): string =>
  `workspaces/${partOf(workspace_id)}/subjects/${partOf(subject_id)}/${kind}/${slugOf(title)}-${id}.md`
