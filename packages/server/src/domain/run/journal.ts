// The keys and bodies of a run's private journal. An entry is written once and never changed; recovery, retry and
// resume rebuild the run from its entries.
import type {
  AnsweredCall,
  ApprovalRules,
  DecidedCall,
  InputKind,
  Plan,
  ReadKind,
  SignalAction,
  ToolEffect,
  ToolOutcome,
} from '@runwright/contract'
import type { Grade } from '../rubric/grade.ts'
import type { AnsweredQuestion } from './asked-call.ts'

/**
 * The version of what a journal holds. Raise it when an older worker would misread what this one writes. A worker takes
 * only runs whose journal has its version or an older one, and a run that it takes gets its version.
 */
export const journalVersion = 6

/** Identifies a step of a run across attempts, recoveries and retries: `<plan generation>/<step id>`. */
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
  /** Which model planned, and with which version of the prompt. Only for planner steps. */
  readonly plannedBy?: Answerer
  /** Which model judged the step. Absent if none did. */
  readonly judgedBy?: Answerer
  /**
   * The grade by the run's rubric. Absent: the step was not graded. `passed` is false if the judge gave no grade and a
   * person is asked instead.
   */
  readonly grade?: ResultGrade
  /** How many steps had succeeded before this one, because journal entries are not ordered. */
  readonly order: number
}

/** The grade of the result of a run. */
export interface ResultGrade extends Grade {
  /** How often the answer was revised before. */
  readonly revisions: number
}

export interface AwaitEntry {
  readonly reasonCode: string
  readonly inputKind: InputKind | null
  readonly prompt: string | null
  /** Nothing is left to do after it is answered. */
  readonly isLast: boolean
  /** Who may decide. Absent: everyone who may send signals. */
  readonly rules?: ApprovalRules | undefined
}

export interface JournaledCall {
  readonly callId: string
  /** The model's own id of the call. */
  readonly modelCallId: string
  /**
   * The idempotency key. Absent: the id. The attempts of a tool step are calls of their own with the same key.
   */
  readonly key?: string | undefined
  readonly name: string
  readonly input: unknown
  /** The sources of the secrets that the client's own plan passes to the tool. Absent for a model's call. */
  readonly byClient?: readonly string[] | undefined
  /** The model called the tool with `call_tool`. It is shown the call as it wrote it. */
  readonly via?: 'call_tool' | undefined
}

/**
 * What the prompt of a step showed of the run. It stays the same in all turns of the step, whatever happens meanwhile:
 * providers cache the beginning of a conversation.
 */
export interface SeenByStep {
  readonly date: string
  /** How many steps had succeeded. */
  readonly done: number
  /** How many answers people had given. */
  readonly answers: number
  /** Notes of earlier runs. */
  readonly memory?: string
}

/** The reply of a model in one turn of a step. */
export interface ReplyEntry {
  readonly text: string
  /** Structured output that was not sent as text. */
  readonly output?: unknown
  readonly calls: readonly JournaledCall[]
  /** Absent: complete. */
  readonly finish?: 'length'
  /** Which model answered, and with which version of the prompt. */
  readonly model: string
  readonly promptVersion?: string
  /** A secret was masked in the text. */
  readonly redacted?: true
  /** Provider data that later turns must send back unchanged. */
  readonly echo?: unknown
  /** Only in the first turn of a step. */
  readonly seen?: SeenByStep
}

/** A model call that failed transiently. Times are milliseconds since the run was created, by the database's clock. */
export interface RetryEntry {
  readonly firstAtMs: number
  readonly dueAtMs: number
  /** How many models of the list this call has given up. */
  readonly skipped?: number
}

/** Times are milliseconds since the run was created. */
export interface SleepEntry {
  readonly sinceMs: number
  readonly dueAtMs: number
  /** The step times out at that time. */
  readonly exceedsStep?: true
}

/** What came into the run. `sensitive`: a tagged value that no model was shown, but that may be known to one. */
export type Touch = ReadKind

interface ResultDetails {
  /** A secret was masked or removed. */
  readonly redacted?: true
  /** What the model is told beside the output. */
  readonly note?: string
  /** A person said so, who looked at the other side. */
  readonly byPerson?: true
  /** What the call brought into the run, if that was not known when it started. */
  readonly touches?: readonly Touch[]
}

/** How a try to make a `once` call ended that has no result. */
export type TryEntry =
  /** It is certain that nothing has left the process. */
  | { readonly outcome: 'not_sent' }
  /** It may have taken effect before it failed. */
  | { readonly outcome: 'failed' | 'timeout'; readonly message: string }

export type CallResultEntry = ResultDetails &
  (
    | { readonly outcome: 'succeeded'; readonly output: unknown }
    | { readonly outcome: Exclude<ToolOutcome, 'succeeded'>; readonly message: string }
  )

/** An attachment as it was fetched, or why it could not be. */
export type FileEntry =
  | { readonly mediaType: string; readonly data: string }
  | { readonly mediaType: string; readonly text: string }
  | { readonly problem: string }

/** The agents that the run uses to its end, named `run`. */
export interface AgentsEntry {
  /** The hash of the agent set. */
  readonly set: string
  /** The agent of the run. Absent: only steps have agents. */
  readonly agent?: { readonly name: string; readonly hash: string }
}

/**
 * Counts back from the last event that the fork keeps, which has 0: every event of the fork itself has a larger one.
 */
interface Kept {
  readonly seq: number
}

/** What a fork took over from the run that it was forked from. */
export interface KeptBody {
  readonly entries: readonly (Kept & { readonly key: string; readonly body: unknown })[]
  readonly answers: readonly (Kept & {
    readonly action: SignalAction
    readonly payload: unknown
    readonly call?: AnsweredCall | null
    readonly calls?: readonly DecidedCall[] | null
    readonly waitKey: string
    readonly asked?: AnsweredQuestion
  })[]
}

interface Bodies {
  /**
   * Named `run`. In one entry, so that it can be told from what the fork has done itself. Statements read the agents
   * and the plans of a run, so a fork has those as entries of its own, too.
   */
  kept: KeptBody
  /** Written before the first step that may use an agent. */
  agents: AgentsEntry
  /** A step succeeded. */
  done: DoneEntry
  /**
   * A step failed once more; `attempt` is the attempt of the run. `keptTurns` is set if the model's last answers caused
   * the failure: only so many turns still count, and the others are asked for again. `message` says why the run failed,
   * if its events do not. `refusedCall` is the id of a call that was not made because of what a person decided about it
   * before the step: another attempt asks again.
   */
  fail: {
    readonly attempt: number
    readonly keptTurns?: number
    readonly message?: string
    readonly refusedCall?: string
  }
  /** The plan of a generation. Generation 1 is the planner's first plan. */
  plan: Plan
  /** The steps of the plan of that generation that an earlier plan had, with the generation that began them. */
  carried: { readonly steps: readonly (readonly [stepId: string, generation: number])[] }
  /** The planner of that generation returned no usable plan, and the run continues without one. */
  unplanned: Record<string, never>
  /** A planner step of that generation is due, with the reason, and the steps that were executing or sleeping. */
  replan: { readonly reason?: string; readonly begun?: readonly TaskKey[] }
  /** A step could not be executed as it was planned, named by its key. */
  broken: { readonly reason: string }
  /** The judge's instruction for the next step of a run without a plan. */
  next: { readonly instruction: string }
  /** A person is asked after a step. */
  await: AwaitEntry
  /** A wait that no longer needs an answer. */
  resolved: Record<string, never>
  /**
   * A turn of a step, written before the tools it asks for run. Named `<task>:<turn>`, or `<task>:<turn>@<round>` after
   * turns were discarded.
   */
  reply: ReplyEntry
  /** A model call that is retried later, named `<call>:<attempt × 1000 + tries>`. */
  retry: RetryEntry
  /**
   * The model of this step searches for its tools, and was told this about them. Written before its first call: what
   * servers list may change, and what providers cache begins with the tools.
   */
  search: { readonly told: string }
  /** The judge's grade of an answer, named `<turn>/<whose rubric>`, such as `0/a:3/run`. */
  grade: Grade & { readonly gradedBy?: Answerer }
  /** The answer of the turn of that name did not pass: what the worker is told. */
  revise: { readonly notes: string }
  /** A summary of the older turns of a step, named `<task>:<turns it covers>`. */
  summary: { readonly text: string }
  /**
   * The judge decided to stop while these tasks were executing. They run to their end. Of the others, only those start
   * that the plan does not do without. It does not count for a later plan. Absent generation: that of the named step.
   */
  stop: { readonly executing: readonly TaskKey[]; readonly required?: readonly TaskKey[]; readonly generation?: number }
  /**
   * A tool call is about to start. If it is made again because a person approves it, or because it was not sent, the
   * entry is named `<id>#2`, `<id>#3` and so on. The effect decides whether the call may be repeated after a crash.
   */
  call: {
    readonly name: string
    readonly effect: ToolEffect
    /** For a `once` call: no worker sends it after this time of the run, by the database's clock. */
    readonly sendByMs?: number
    /** If it was sent in time, it has ended by then. */
    readonly endsByMs?: number
    /** What the call brings into the run. The policy takes it into account for later calls. */
    readonly touches?: readonly Touch[]
    /** The arguments that a person has given it instead of its own. */
    readonly edited?: unknown
  }
  /** A try to make a call has ended without a result, named `<id>#<number of the try>`. */
  try: TryEntry
  /** Something other than a call brought this into the run, such as notes that memory put into a prompt. */
  touch: { readonly touches: readonly Touch[] }
  /** An attachment, named by its index. Kept as fetched, so that every turn and every execution sees the same file. */
  file: FileEntry
  /** A tool call that only waits ends at this time. Until then the run holds no worker. */
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
/** The id of a step of a run without a plan. Such steps run one after another. */
export const unplannedStepId = (index: number): string => `#${index}`
