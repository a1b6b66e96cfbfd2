// Which runs are compared, as the URL has it: `#/compare?left=run_…&right=run_…`.
export interface CompareSearch {
  readonly left?: string
  readonly right?: string
}

const idOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^run_\w{1,64}$/.test(value.trim()) ? value.trim() : undefined

export const compareSearchOf = (search: Record<string, unknown>): CompareSearch => {
  const [left, right] = [idOf(search.left), idOf(search.right)]
  return { ...(left && { left }), ...(right && { right }) }
}
