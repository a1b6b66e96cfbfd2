// Whether a value nests deeper than it may: `JSON.parse` reads 200,000 levels, on which `JSON.stringify` and everything
// else that recurses overflows the stack.

export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, levels - 1))
  const members = value as Readonly<Record<string, unknown>>
  // For an object of many keys, `Object.values` takes twice as long.
  for (const key in members) if (isDeeper(members[key], levels - 1)) return true
  return false
}
