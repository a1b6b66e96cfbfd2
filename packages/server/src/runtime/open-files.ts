// How many files and connections the system lets this process have open.
import { readFileSync } from 'node:fs'

/** Undefined where it is not known or not limited. */
export function maxOpenFiles(limits: string = readLimits()): number | undefined {
  const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? []
  return soft === undefined ? undefined : Number(soft)
}

/** Node raises the limit to the highest that the system allows when it starts. */
function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    // Only Linux has this file.
    return ''
  }
}
