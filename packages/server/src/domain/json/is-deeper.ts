// Whether a value nests deeper than it may: `JSON.parse` reads 200,000 levels, on which `JSON.stringify` and everything
// else that recurses overflows the stack.

export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  return members.some((member) => isDeeper(member, levels - 1))
}
