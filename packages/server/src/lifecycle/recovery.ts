// When a stalled run may be taken up again by itself: later each time, and not for ever.

export interface RecoveryRule {
  readonly delaySeconds: number
  readonly maxRecoveries: number
}

const longestDelaySeconds = 300

/** Undefined: it stays stalled until someone resumes or cancels it. */
export function recoveryDelayMs({ delaySeconds, maxRecoveries }: RecoveryRule, recoveries: number): number | undefined {
  if (recoveries >= maxRecoveries) return undefined
  return Math.min(longestDelaySeconds, delaySeconds * 2 ** recoveries) * 1000
}
