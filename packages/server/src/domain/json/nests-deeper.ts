// Whether a parsed value nests deeper than a limit; an array of scalars has one level. Iterative: code that recurses
// over a value of any depth can overflow the stack, and that can end the process.

export function nestsDeeper(value: unknown, maxDepth: number): boolean {
  let level: unknown[] = typeof value === 'object' && value !== null ? [value] : []
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true
    const next: unknown[] = []
    for (const item of level) {
      if (Array.isArray(item)) addContainers(item, next)
      else addMembers(item as Readonly<Record<string, unknown>>, next)
    }
    level = next
  }
  return false
}

function addContainers(items: readonly unknown[], to: unknown[]): void {
  for (const item of items) if (typeof item === 'object' && item !== null) to.push(item)
}

/** For an object of many keys, `Object.values` takes twice as long. */
function addMembers(members: Readonly<Record<string, unknown>>, to: unknown[]): void {
  for (const key in members) {
    const member = members[key]
    if (typeof member === 'object' && member !== null) to.push(member)
  }
}
