// Finds the files of the command line. Shells expand patterns themselves, but not on Windows and not inside quotes.
import { readdir } from 'node:fs/promises'
import { join, posix, sep } from 'node:path'
import { EvaluationError } from './evaluation-error.ts'

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
  const rest = parts.slice(fixed.length)
  const files = await listFiles(folder, rest.length > 1)
  const found = files.filter((path) => matchesPath(rest, path)).sort()
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
const matchesPath = (pattern: readonly string[], path: string): boolean =>
  matches(pattern, path.split('/'), { isAny: (part) => part === '**', isSame: matchesName })

const matchesName = (pattern: string, name: string): boolean =>
  matches([...pattern], [...name], { isAny: (part) => part === '*', isSame: (one, it) => one === '?' || one === it })

interface Comparison {
  /** Whether a part of the pattern stands for any number of items. */
  readonly isAny: (part: string) => boolean
  readonly isSame: (part: string, item: string) => boolean
}

/** If the items differ, the last part that stands for any number of them takes one more. */
function matches(pattern: readonly string[], items: readonly string[], { isAny, isSame }: Comparison): boolean {
  let [at, lastAny, taken] = [0, -1, 0]
  for (let n = 0; n < items.length; ) {
    const part = pattern[at]
    if (part !== undefined && isAny(part)) {
      lastAny = at
      taken = n
      at += 1
    } else if (part !== undefined && isSame(part, items[n] as string)) {
      at += 1
      n += 1
    } else if (lastAny >= 0) {
      taken += 1
      n = taken
      at = lastAny + 1
    } else return false
  }
  return pattern.slice(at).every(isAny)
}
