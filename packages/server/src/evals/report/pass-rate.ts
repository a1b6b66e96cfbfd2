// pass^k: the probability that k trials of a case, chosen at random, all pass. With n trials of which c passed, the
// unbiased estimate is C(c, k) / C(n, k). pass^1 is the same as pass@1.

interface Trials {
  readonly trials: number
  readonly passed: number
}

/** Multiplied factor by factor, so that no factorial overflows. */
export function passHat({ trials, passed }: Trials, k: number): number {
  let estimate = 1
  for (let drawn = 0; drawn < k; drawn += 1) estimate *= Math.max(0, passed - drawn) / (trials - drawn)
  return estimate
}

/** The mean over all cases: every case counts the same, however many trials it has. */
export const meanPassHat = (cases: readonly Trials[], k: number): number =>
  cases.reduce((sum, each) => sum + passHat(each, k), 0) / cases.length

/** The largest k that all cases have enough trials for. */
export const largestK = (cases: readonly Trials[]): number => Math.min(...cases.map(({ trials }) => trials))
