// What a fork takes over: all that the run had finished when a step ended.
//
// A journal is not ordered, but each entry is written with events. The fork gets the entries and answers whose events
// are not after those of the step's end: its `step.done` and the decision about what comes next. So the steps that it
// gets have all their dependencies, and templates find what they name.
//
// Left out is unfinished work: failures, the turns of steps, and a decision to stop. Steps that were executing begin
// again. An approval is part of the step that it allows, so a step that is executed again asks again.

import type { Answer } from './answer-log.ts'
import {
  type DoneEntry,
  type JournalEntry,
  type JournalKind,
  journalEntry,
  type KeptBody,
  plannerStepId,
  type TaskKey,
  taskKey,
} from './journal.ts'
import { approvalKey, isGateOf } from './wait-keys.ts'

/** The events that entries were written with, by their seqs. */
export interface RunMarks {
  /** The decision after each step that succeeded. */
  readonly steps: ReadonlyMap<TaskKey, number>
  /** The end of each tool call, by its id. */
  readonly calls: ReadonlyMap<string, number>
  /** The decisions to plan again, oldest first. */
  readonly replans: readonly number[]
}

export interface RunPast {
  readonly entries: readonly JournalEntry[]
  readonly answers: readonly (Answer & { readonly seq: number })[]
  readonly marks: RunMarks
}

type KeptEntry = KeptBody['entries'][number]

/** The kinds of entries that a fork gets. */
export const keptKinds = [
  ...(['agents', 'file', 'touch', 'done', 'next', 'await', 'plan', 'carried', 'unplanned', 'replan'] as const),
  ...(['call', 'result', 'kept'] as const),
] satisfies readonly JournalKind[]

/** Undefined if the run has not finished the step. If it finished several times, the last time counts. */
export function keepUpTo(stepId: string, past: RunPast): KeptBody | undefined {
  const { entries, answers } = withSeqs(past)
  const ends = [
    ...entries.filter((entry) => doneIn(entry)?.stepId === stepId),
    ...answers.filter(({ waitKey, action }) => action !== 'reject' && isGateOf(waitKey, stepId)),
  ]
  if (ends.length === 0) return undefined
  const end = ends.reduce((latest, { seq }) => Math.max(latest, seq), Number.NEGATIVE_INFINITY)
  const kept = cut(entries, end)
  const keys = new Set(kept.map(({ key }) => key))
  return { entries: kept, answers: cut(answers, end).filter(({ waitKey }) => !asksAgain(waitKey, keys)) }
}

/** The journal that a fork begins with, as JSON. Yields where the work can be interrupted. */
export function* journalOfFork(kept: KeptBody): Generator<void, string> {
  const { key } = journalEntry('kept', 'run', kept)
  const entries = yield* writeEach(kept.entries)
  const answers = yield* writeEach(kept.answers)
  const own = kept.entries.filter((entry) => /^(?:agents|plan|carried|replan):/.test(entry.key))
  const others = yield* writeEach(own.map((entry) => ({ key: entry.key, body: entry.body })))
  const body = `{"entries":[${entries.join()}],"answers":[${answers.join()}]}`
  return `[${[`{"key":${JSON.stringify(key)},"body":${body}}`, ...others].join()}]`
}

function* writeEach(values: readonly unknown[]): Generator<void, string[]> {
  const texts: string[] = []
  for (const value of values) {
    texts.push(JSON.stringify(value))
    yield
  }
  return texts
}

/** If the run is a fork itself: what it took over, followed by its own. */
function withSeqs({ entries, answers, marks }: RunPast): KeptBody {
  const before = entries.find((entry) => entry.kind === 'kept')?.body ?? { entries: [], answers: [] }
  const known = new Set(before.entries.map(({ key }) => key))
  const own = entries.filter(({ key }) => !known.has(key))
  const replans = own.flatMap(({ kind, name }) => (kind === 'replan' ? [Number(name)] : [])).toSorted((a, b) => a - b)
  const places = new Map(replans.map((generation, index) => [generation, index]))
  const seqOfReplan = (generation: number) => marks.replans[places.get(generation) ?? -1]
  const dated = own.flatMap((entry) => {
    const seq = seqOf(entry, marks, seqOfReplan)
    return seq === undefined ? [] : [{ key: entry.key, body: bodyOf(entry), seq }]
  })
  return { entries: [...before.entries, ...dated], answers: [...before.answers, ...answers] }
}

/** A fork may have another rubric, so the grade of a step is left out. */
function bodyOf({ kind, body }: JournalEntry): unknown {
  if (kind !== 'done') return body
  const { grade: _, ...done } = body
  return done
}

/** Undefined: a fork does not get the entry. */
function seqOf(
  { kind, name }: JournalEntry,
  { steps, calls }: RunMarks,
  seqOfReplan: (generation: number) => number | undefined,
): number | undefined {
  // From outside of the run. When they came does not matter.
  if (kind === 'agents' || kind === 'file' || kind === 'touch') return 1
  if (kind === 'done' || kind === 'next' || kind === 'await') return steps.get(name)
  if (kind === 'plan' || kind === 'carried' || kind === 'unplanned')
    return steps.get(taskKey(Number(name), plannerStepId))
  if (kind === 'replan') return seqOfReplan(Number(name))
  // A call that was repeated is named `<id>#2`.
  return kind === 'call' || kind === 'result' ? calls.get(name.split('#')[0] ?? name) : undefined
}

const cut = <Item extends { readonly seq: number }>(items: readonly Item[], end: number): Item[] =>
  items.filter(({ seq }) => seq <= end).map((item) => ({ ...item, seq: item.seq - end }))

const doneIn = ({ key, body }: KeptEntry): DoneEntry | undefined =>
  key.startsWith('done:') ? (body as DoneEntry) : undefined

const asksAgain = (waitKey: string, kept: ReadonlySet<string>): boolean =>
  waitKey.startsWith(approvalKey('')) && !kept.has(`done:${waitKey.slice(approvalKey('').length)}`)
