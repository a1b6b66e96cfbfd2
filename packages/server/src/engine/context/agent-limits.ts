// The operator's limits for agents.

export interface AgentLimits {
  /** Turns per step. */
  readonly maxTurns: number
  /** Steps of a run that has no plan. */
  readonly maxSteps: number
  readonly maxReplans: number
  /** What happens when the judge gives no usable decision: the rule decides, a person is asked, or the run fails. */
  readonly judgeFallback: 'rule' | 'ask' | 'fail'
  /** For models whose context window is unknown. */
  readonly contextTokens: number
}

/** How failed model calls are retried. */
export interface ProviderRetry {
  readonly firstMs: number
  readonly maxMs: number
  /** A call that would be retried for longer than this fails. */
  readonly giveUpMs: number
  /** After failing for this long, the call moves to the next model of the list. */
  readonly fallbackMs: number
  /** For a longer wait the run is parked, so that it holds no worker. */
  readonly parkAboveMs: number
}

export const defaultAgentLimits: AgentLimits = {
  maxTurns: 50,
  maxSteps: 20,
  maxReplans: 3,
  judgeFallback: 'rule',
  contextTokens: 128_000,
}

export const defaultProviderRetry: ProviderRetry = {
  firstMs: 1_000,
  maxMs: 60_000,
  giveUpMs: 900_000,
  fallbackMs: 30_000,
  parkAboveMs: 2_000,
}
