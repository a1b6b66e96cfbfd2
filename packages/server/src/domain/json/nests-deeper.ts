// Whether a parsed value nests deeper than a limit; an array of scalars has one level. Iterative: code that recurses
// over a value of any depth can overflow the stack, and that can end the process.

/** How many keys and values are looked at before the work can be interrupted. */
const partsAtOnce = 2_000

/** Yields where the work can be interrupted. */
export function* nestsDeeper(value: unknown, maxDepth: number): Generator<void, boolean> {
  let level: object[] = isContainer(value) ? [value] : []
  let looked = 0
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true
    const next: object[] = []
    for (const container of level) {
      const keys = Array.isArray(container) ? undefined : Object.keys(container)
      const size = keys ? keys.length : (container as unknown[]).length
      for (let index = 0; index < size; index += 1) {
        const member = (container as Readonly<Record<string | number, unknown>>)[keys ? (keys[index] as string) : index]
        if (isContainer(member)) next.push(member)
        looked += 1
        if (looked % partsAtOnce === 0) yield
      }
    }
    level = next
  }
  return false
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null
