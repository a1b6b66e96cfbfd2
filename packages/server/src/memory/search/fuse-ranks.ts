// Makes one ranking of several: reciprocal rank fusion, which needs no common scale of scores.

export interface Fused {
  readonly id: string
  /** 0 to 1; 1 is the first place in every ranking. */
  readonly score: number
}

/** The usual constant: it keeps the first place of one ranking from outweighing good places in all. */
const damping = 60

/** Best first; equals stand in the order in which they were first met. */
export function fuseRanks(rankings: readonly (readonly string[])[]): Fused[] {
  const sums = new Map<string, number>()
  for (const ids of rankings) {
    for (const [rank, id] of ids.entries()) sums.set(id, (sums.get(id) ?? 0) + 1 / (damping + rank + 1))
  }
  const highest = rankings.length / (damping + 1)
  return [...sums].map(([id, sum]) => ({ id, score: sum / highest })).sort((a, b) => b.score - a.score)
}
