// Makes a folder with those above it.
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Returns the first folder that it made, undefined if all are there. Not with `recursive`: where the system refuses a
 * folder with ENOENT although its parent is there, as in /proc, Node then tries again for ever.
 */
export function makeFolder(path: string, mode: number): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined
  const parent = dirname(path)
  const made = parent !== path && !existsSync(parent) ? makeFolder(parent, mode) : undefined
  try {
    mkdirSync(path, { mode })
    return made ?? path
  } catch (error) {
    // Another process was faster.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return made
    throw error
  }
}
