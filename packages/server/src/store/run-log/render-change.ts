// The JSON of what a change writes. A large change takes longer than the event loop may be held, so a worker renders it
// in turns before it submits it.
import { finish } from '../../domain/finish.ts'
import { encodeJson } from '../postgres/encode-json.ts'
import type { NewTurn, RunChange } from './run-change.ts'

/** The events and the journal of a change: the statement and the announcement use the same text. */
export interface RenderedParts {
  readonly payloads: readonly string[]
  /** The members of each entry's JSON. */
  readonly journal: readonly string[]
}

type Parts = Pick<RunChange, 'events' | 'journal'>

export const renderParts = (change: Parts): RenderedParts => finish(renderInTurns(change))

/** As `renderParts`. Yields where the work can be interrupted. */
export function* renderInTurns({ events = [], journal: entries = [] }: Parts): Generator<void, RenderedParts> {
  const payloads: string[] = []
  const journal: string[] = []
  for (const { payload } of events) {
    payloads.push(encodeJson(payload))
    yield
  }
  for (const { key, body } of entries) {
    journal.push(encodeJson({ key, body }).slice(1, -1))
    yield
  }
  return { payloads, journal }
}

const turns = new WeakMap<NewTurn, string>()

/** The members of a turn's JSON. It is kept: a turn is rendered when it is traced, and written with a later change. */
export function renderTurn(turn: NewTurn): string {
  const text = turns.get(turn) ?? encodeJson(turnRow(turn)).slice(1, -1)
  turns.set(turn, text)
  return text
}

const turnRow = ({ taskKey, callKey, leftMs, ...rest }: NewTurn) => ({
  task_key: taskKey,
  call_key: callKey,
  left_ms: leftMs,
  ...rest,
})
