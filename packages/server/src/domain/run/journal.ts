// What a run has finished, as the engine keeps it: keys and bodies of its private journal.
import type { InputKind, Plan } from '@runwright/contract'

/** One step of a run, the same over attempts, recoveries and retries: `<plan generation>/<step id>`. */
export type TaskKey = string

export interface DoneEntry {
  readonly stepId: string
  readonly kind: 'agent' | 'tool' | 'planner'
  readonly content: string
  readonly output: unknown
  readonly redacted: boolean
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

export interface ReplyEntry {
  readonly text: string
  readonly output: unknown
  readonly calls: readonly JournaledCall[]
}

/** `redacted`: a secret was masked or dropped in it. */
/** Private data that was read, text that a stranger wrote. */
export type Touch = 'private' | 'untrusted'

export type CallResultEntry = { readonly redacted?: true } & (
  | { readonly outcome: 'succeeded'; readonly output: unknown }
  | { readonly outcome: 'failed' | 'timeout' | 'policy_denied'; readonly message: string }
)

interface Bodies {
  /** A step that ended well. */
  done: DoneEntry
  /** A step that failed once more; the attempt is the run's. */
  fail: { readonly attempt: number }
  /** The plan of a generation: 1 is the planner's first. */
  plan: Plan
  /** A planner step of that generation is due. */
  replan: Record<string, never>
  /** A person is asked after a step. */
  await: AwaitEntry
  /** A wait that nobody has to answer any more. */
  resolved: Record<string, never>
  /** What a model said in one turn of a step, before the tools it asks for run. */
  reply: ReplyEntry
  /** The judge said stop while these were executing: they come to their end, and nothing else is started. */
  stop: { readonly executing: readonly TaskKey[] }
  /** A tool call is about to begin; made again after a person's word it is named `<id>#2`, `<id>#3` …
   *  What it does to the world decides whether it may be made again after a crash. */
  call: {
    readonly name: string
    readonly effect: 'read' | 'idempotent' | 'once'
    /** What it brings into the run that later calls are judged by. */
    readonly touches?: readonly Touch[]
  }
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
export const plannerStepId = 'planner'
/** A step of a run without a plan: they come one after another. */
export const unplannedStepId = (index: number): string => `#${index}`
