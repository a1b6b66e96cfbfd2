// What is compared, as the URL has it: `#/compare?left=run_…&right=run_…&turn=…`.
export interface CompareSearch {
  readonly left?: string
  readonly right?: string
  /** The name of the pair of turns that is open. */
  readonly turn?: string
}

const idOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^run_\w{1,64}$/.test(value.trim()) ? value.trim() : undefined

export const compareSearchOf = (search: Record<string, unknown>): CompareSearch => {
  const [left, right] = [idOf(search.left), idOf(search.right)]
  const { turn } = search
  return { ...(left && { left }), ...(right && { right }), ...(typeof turn === 'string' && { turn }) }
}
