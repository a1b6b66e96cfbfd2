// How far agents may go, as the operator has set it.

export interface AgentLimits {
  /** Turns of one step. */
  readonly maxTurns: number
  /** Steps of a run without a plan. */
  readonly maxSteps: number
  readonly maxReplans: number
  /** Who decides when the judge does not: the rule, a person, or nobody, and the run fails. */
  readonly judgeFallback: 'rule' | 'ask' | 'fail'
  /** Of models whose own window is not known. */
  readonly contextTokens: number
}

/** How failed calls to models are repeated. */
export interface ProviderRetry {
  readonly firstMs: number
  readonly maxMs: number
  /** Tries longer than this in all: the call has failed. */
  readonly giveUpMs: number
  /** A model that fails for this long makes room for the next one of its list. */
  readonly fallbackMs: number
  /** A longer wait holds no worker. */
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
