// When a stalled run is recovered automatically: with a growing delay, and a limited number of times.

export interface RecoveryRule {
  readonly delaySeconds: number
  readonly maxRecoveries: number
}

const longestDelaySeconds = 300

/** Undefined: the run stays stalled until someone resumes or cancels it. */
export function recoveryDelayMs({ delaySeconds, maxRecoveries }: RecoveryRule, recoveries: number): number | undefined {
  if (recoveries >= maxRecoveries) return undefined
  return Math.min(longestDelaySeconds, delaySeconds * 2 ** recoveries) * 1000
}
