// Whether a parsed value nests deeper than a limit; an array of scalars has one level. Iterative: code that recurses
// over a value of any depth can overflow the stack, and that can end the process.

export function nestsDeeper(value: unknown, maxDepth: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true
    const next: unknown[] = []
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue
      for (const child of Array.isArray(item) ? item : Object.values(item)) {
        if (typeof child === 'object' && child !== null) next.push(child)
      }
    }
    level = next
  }
  return false
}
