// Merges several rankings by reciprocal rank fusion, which needs no common scale of scores.

interface FusedRank {
  readonly id: string
  /** 0 to 1; 1 means first in every ranking. */
  readonly score: number
}

/** The usual constant. It keeps a first rank in one ranking from outweighing good ranks in all. */
const damping = 60

/** Best first; ties keep the order of their first appearance. */
export function fuseRanks(rankings: readonly (readonly string[])[]): FusedRank[] {
  const sums = new Map<string, number>()
  for (const ids of rankings) {
    for (const [rank, id] of ids.entries()) sums.set(id, (sums.get(id) ?? 0) + 1 / (damping + rank + 1))
  }
  const highest = rankings.length / (damping + 1)
  return [...sums].map(([id, sum]) => ({ id, score: sum / highest })).sort((a, b) => b.score - a.score)
}
