// Finds the files of the command line. Shells expand patterns themselves, but not on Windows and not inside quotes.
import { readdir } from 'node:fs/promises'
import { join, posix, sep } from 'node:path'
import { EvaluationError } from '../evaluation-error.ts'

/** Throws an EvaluationError for a pattern without a match. Each file comes once, in the order of the arguments. */
export async function findFiles(args: readonly string[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const arg of args) found.push(...(isPattern(arg) ? await expand(arg) : [arg]))
  return [...new Set(found)]
}

const isPattern = (arg: string): boolean => /[*?]/.test(arg)

async function expand(pattern: string): Promise<string[]> {
  const parts = pattern.split(sep).join('/').split('/')
  const fixed = parts.slice(0, parts.findIndex(isPattern))
  const folder = fixed.length === 0 ? '.' : fixed.join('/') || '/'
  const matches = matcherOf(parts.slice(fixed.length))
  const files = await listFiles(folder, parts.length - fixed.length > 1)
  const found = files.filter((path) => matches.test(path)).sort()
  if (found.length === 0) throw new EvaluationError(`No file matches ${pattern}.`)
  return found.map((path) => (fixed.length === 0 ? path : posix.join(folder, path)))
}

async function listFiles(folder: string, recursive: boolean): Promise<string[]> {
  const entries = await readdir(folder, { recursive, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile() && !/(^|\/)(node_modules|\.[^/.][^/]*)(\/|$)/.test(entry.parentPath))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}

const relative = (folder: string, path: string): string =>
  posix.relative(folder.split(sep).join('/'), path.split(sep).join('/'))

/** `*` and `?` match within a name, `**` any number of folders. */
function matcherOf(parts: readonly string[]): RegExp {
  const source = parts.map((part, index) => {
    if (part === '**') return '(?:[^/]+/)*'
    const name = part
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '[^/]*')
      .replaceAll('?', '[^/]')
    return index === parts.length - 1 ? name : `${name}/`
  })
  return new RegExp(`^${source.join('')}$`)
}
