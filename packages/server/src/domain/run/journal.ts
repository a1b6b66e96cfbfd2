// What a run has finished, as the engine keeps it: keys and bodies of its private journal. An entry is written once and never
// changed; recovery, retry and resume rebuild the run from its entries.
import type { InputKind, Plan } from '@runwright/contract'

/** One step of a run, the same over attempts, recoveries and retries: `<plan generation>/<step id>`. */
export type TaskKey = string

export interface Answerer {
  readonly model: string
  readonly promptVersion: string
}

export interface DoneEntry {
  readonly stepId: string
  readonly kind: 'agent' | 'tool' | 'planner'
  readonly content: string
  readonly output: unknown
  readonly redacted: boolean
  /** Which model planned, and with which version of the prompt; only of planner steps. */
  readonly plannedBy?: Answerer
  /** Which model judged the step; left out: none did. */
  readonly judgedBy?: Answerer
  /** How many steps had ended well before it: the journal itself keeps no order. */
  readonly order: number
}

export interface AwaitEntry {
  readonly reasonCode: string
  readonly inputKind: InputKind | null
  readonly prompt: string | null
  /** Nothing is left to do once it is answered. */
  readonly isLast: boolean
}

export interface JournaledCall {
  readonly callId: string
  /** The model's own id of the call. */
  readonly modelCallId: string
  readonly name: string
  readonly input: unknown
}

/** What a model said in one turn of a step. */
export interface ReplyEntry {
  readonly text: string
  /** Structured output that did not come as text. */
  readonly output?: unknown
  readonly calls: readonly JournaledCall[]
  /** Left out: complete. */
  readonly finish?: 'length'
  /** Which model answered, and with which version of the prompt. */
  readonly model: string
  readonly promptVersion?: string
  /** A secret was masked in the text. */
  readonly redacted?: true
  /** What the provider wants back unchanged in later turns. */
  readonly echo?: unknown
}

/** A call to a model that failed for now. Times are milliseconds since the run was created, by the database's clock. */
export interface RetryEntry {
  readonly firstAtMs: number
  readonly dueAtMs: number
  /** Models of the list that this call has given up. */
  readonly skipped?: number
}

/** Times are milliseconds since the run was created. */
export interface SleepEntry {
  readonly sinceMs: number
  readonly dueAtMs: number
  /** The step times out then. */
  readonly exceedsStep?: true
}

/** Private data that was read, text that a stranger wrote. */
export type Touch = 'private' | 'untrusted'

/** `redacted`: a secret was masked or dropped in it. */
export type CallResultEntry = { readonly redacted?: true } & (
  | { readonly outcome: 'succeeded'; readonly output: unknown }
  | { readonly outcome: 'failed' | 'timeout' | 'policy_denied'; readonly message: string }
)

interface Bodies {
  /** A step that ended well. */
  done: DoneEntry
  /**
   * A step that failed once more; the attempt is the run's. `keptTurns`: how many of its turns count from then on, where
   * the model's last answers were the failure; the others are asked for again.
   */
  fail: { readonly attempt: number; readonly keptTurns?: number }
  /** The plan of a generation: 1 is the planner's first. */
  plan: Plan
  /** The planner of that generation made no usable plan: the run goes on without one. */
  unplanned: Record<string, never>
  /** A planner step of that generation is due, and why. */
  replan: { readonly reason?: string }
  /** What the judge wants done next, after a step without a plan. */
  next: { readonly instruction: string }
  /** A person is asked after a step. */
  await: AwaitEntry
  /** A wait that needs no answer any more. */
  resolved: Record<string, never>
  /**
   * A turn of a step, written before the tools it asks for run. Named `<task>:<turn>`; after turns were discarded
   * `<task>:<turn>@<how often>`.
   */
  reply: ReplyEntry
  /** A call to a model that is repeated later, named `<call>:<attempt × 1000 + tries>`. */
  retry: RetryEntry
  /** Older turns of a step as a summary, named `<task>:<turns it covers>`. */
  summary: { readonly text: string }
  /** The judge said stop while these were executing: they come to their end, and nothing else is started. */
  stop: { readonly executing: readonly TaskKey[] }
  /**
   * A tool call is about to begin; made again after a person approved that, it is named `<id>#2`, `<id>#3` …
   * What it does to the world decides whether it may be made again after a crash.
   */
  call: {
    readonly name: string
    readonly effect: 'read' | 'idempotent' | 'once'
    /** What it brings into the run that later calls are judged by. */
    readonly touches?: readonly Touch[]
  }
  /** A tool call that only lets time pass ends at this time; the run holds no worker meanwhile. */
  sleep: SleepEntry
  /** A tool call has ended. */
  result: CallResultEntry
}

export type JournalKind = keyof Bodies

export type JournalEntry = {
  [Kind in JournalKind]: {
    readonly key: string
    readonly kind: Kind
    readonly name: string
    readonly body: Bodies[Kind]
  }
}[JournalKind]

/** An entry ready for the log. */
export const journalEntry = <Kind extends JournalKind>(kind: Kind, name: string, body: Bodies[Kind]) => ({
  key: `${kind}:${name}`,
  body,
})

export function readJournalEntry(key: string, body: unknown): JournalEntry {
  const separator = key.indexOf(':')
  return { key, kind: key.slice(0, separator), name: key.slice(separator + 1), body } as JournalEntry
}

export const taskKey = (generation: number, stepId: string): TaskKey => `${generation}/${stepId}`
export const generationOf = (key: TaskKey): number => Number.parseInt(key, 10)
export const plannerStepId = 'planner'
/** A step of a run without a plan: they come one after another. */
export const unplannedStepId = (index: number): string => `#${index}`
