// Reads what is known of the steps of runs: the journal without what only an execution needs, the ends and beginnings
// of steps, and the answers to gates. One statement, so that all of it is from the same moment: otherwise a step whose
// end was committed meanwhile could look as if the run had ended without it. Texts are limited in bytes, from the
// newest step backwards, and so are the events that are looked at.
import type { AnsweredCall, SignalAction, StepOutcome } from '@runwright/contract'
import { parseLists } from '../../domain/json/parse-items.ts'
import type { Answer } from '../../domain/run/answer-log.ts'
import { type JournalEntry, readJournalEntry } from '../../domain/run/journal.ts'
import type { RunState } from '../../domain/run/states.ts'
import { runSliced, TimeSlice } from '../../runtime/time-slices.ts'
import type { Database } from '../postgres/database.ts'
import { leftOut } from './signals.ts'
import { stepFactsStatement } from './step-facts-statement.ts'

/** How many bytes of texts, of outputs and of answers one read returns for a run. */
export const maxStepBytes = 1024 * 1024

/** How many events of a run one read looks at, from the newest backwards. No index tells ends from pieces of text. */
export const maxStepEvents = 50_000

export interface StepFacts {
  readonly state: RunState
  readonly attempt: number
  /** While the run waits: since when. */
  readonly updatedAt: Date
  /** As it came with the run. */
  readonly plan: unknown
  readonly firstRole: 'planner' | 'worker'
  readonly entries: JournalEntry[]
  readonly answers: (Answer & { readonly at: Date; readonly askedAt: Date | undefined })[]
  readonly ends: EndRecord[]
  /** By task id, and by task key for what the turns say. */
  readonly begins: Map<string, Date>
  /** When a worker last began with the run, or it was resumed. */
  startedAt: Date | undefined
  /** When a person was last asked. */
  askedAt: Date | undefined
}

export interface EndRecord {
  readonly taskId: string
  readonly at: Date
  readonly outcome: StepOutcome
  readonly content: string
  readonly reasonCode: string | null
  readonly message: string | null
}

/** By run id. */
export async function findStepFacts(
  database: Database,
  customerId: string,
  ids: readonly string[],
): Promise<Map<string, StepFacts>> {
  const rows = await database.query<FactRow>({
    name: 'find-step-facts',
    text: stepFactsStatement,
    values: [customerId, ids, maxStepBytes, maxStepEvents],
  })
  const facts = new Map<string, StepFacts>()
  const slice = new TimeSlice()
  for (const row of rows) {
    const known = facts.get(row.run_id)
    if (row.part === 'origin') facts.set(row.run_id, factsOf(row))
    else if (row.part === 'entry') known?.entries.push(await readEntry(row))
    else if (known) add[row.part](known, row)
    if (slice.isOver) await slice.next()
  }
  return facts
}

/** The origin comes first, then the rest in the order of `seq`. What a part does not have is null. */
interface FactRow extends Record<string, unknown> {
  readonly run_id: string
  readonly part: 'origin' | 'entry' | keyof typeof add
  readonly key: string | null
  readonly at: Date | null
  readonly body: string | null
  readonly bytes: number | null
  readonly details: string | null
}

interface Origin {
  readonly state: RunState
  readonly attempt: number
  readonly first_role: 'planner' | 'worker' | null
}

function factsOf({ at, body, details }: FactRow): StepFacts {
  const { state, attempt, first_role }: Origin = JSON.parse(details ?? '{}')
  return {
    state,
    attempt,
    updatedAt: at ?? new Date(0),
    plan: body === null ? undefined : JSON.parse(body),
    firstRole: first_role ?? 'planner',
    entries: [],
    answers: [],
    ends: [],
    begins: new Map(),
    startedAt: undefined,
    askedAt: undefined,
  }
}

async function readEntry({ key, body }: FactRow): Promise<JournalEntry> {
  const [name, text] = [key ?? '', body ?? 'null']
  return readJournalEntry(name, name.startsWith('kept:') ? await runSliced(parseLists(text)) : JSON.parse(text))
}

type Add = (facts: StepFacts, row: FactRow) => void

const add = {
  answer: (facts, row) => void facts.answers.push(toAnswer(row, facts.askedAt)),
  begin: (facts, { key, at }) => {
    if (at) facts.begins.set(key ?? '', at)
  },
  end: (facts, row) => {
    const end = toEnd(row)
    facts.ends.push(end)
    if (!facts.begins.has(end.taskId)) facts.begins.set(end.taskId, end.at)
  },
  question: (facts, { at }) => {
    facts.askedAt = at ?? undefined
  },
  start: (facts, { at }) => {
    facts.startedAt = at ?? undefined
  },
} satisfies Record<string, Add>

interface AnswerDetails {
  readonly action: SignalAction
  readonly call: AnsweredCall | null
}

function toAnswer({ key, at, body, bytes, details }: FactRow, askedAt: Date | undefined): StepFacts['answers'][number] {
  const { action, call }: AnswerDetails = JSON.parse(details ?? '{}')
  return {
    action,
    payload: body !== null ? JSON.parse(body) : bytes === null ? null : leftOut(bytes),
    waitKey: key ?? '',
    ...(call !== null && { call }),
    at: at ?? new Date(0),
    askedAt,
  }
}

interface EndDetails {
  readonly outcome: StepOutcome
  readonly reason_code: string | null
  readonly message: string | null
  readonly content: string | null
}

function toEnd({ key, at, bytes, details }: FactRow): EndRecord {
  const { outcome, content, reason_code: reasonCode, message }: EndDetails = JSON.parse(details ?? '{}')
  return {
    taskId: key ?? '',
    at: at ?? new Date(0),
    outcome,
    content: content ?? leftOut(bytes ?? 0),
    reasonCode,
    message,
  }
}
