// The JSON of what a change writes. A large change takes longer than the event loop may be held, so a worker renders it
// in turns before it submits it.
import { finish } from '../../domain/finish.ts'
import { encodeJson } from '../postgres/encode-json.ts'
import type { NewTurn, RunChange } from './run-change.ts'

/** The events and the journal of a change: the statement and the announcement use the same text. */
export interface RenderedParts {
  readonly payloads: readonly string[]
  /** The bodies of the entries. */
  readonly journal: readonly string[]
}

export interface RenderedTurn {
  readonly messagesJson: string
  readonly bodyJson: string
}

/** A change whose JSON is rendered. */
export interface RenderedChange extends RenderedParts {
  readonly change: RunChange
  /** The length of these texts, and of those of its turns. */
  readonly size: number
}

type Parts = Pick<RunChange, 'events' | 'journal'>

const renderParts = (change: Parts): RenderedParts => finish(renderInTurns(change))

/** The parts of a change. Yields where the work can be interrupted. */
export function* renderInTurns({ events = [], journal: entries = [] }: Parts): Generator<void, RenderedParts> {
  const payloads: string[] = []
  const journal: string[] = []
  for (const { payload } of events) {
    payloads.push(encodeJson(payload))
    yield
  }
  for (const { body } of entries) {
    journal.push(encodeJson(body))
    yield
  }
  return { payloads, journal }
}

/** `parts` were rendered before, if they are given. */
export function renderChange(change: RunChange, { payloads, journal } = renderParts(change)): RenderedChange {
  const turns = (change.turns ?? []).map(renderTurn)
  const texts = [...payloads, ...journal, ...turns.flatMap(({ messagesJson, bodyJson }) => [messagesJson, bodyJson])]
  return { change, payloads, journal, size: texts.reduce((sum, text) => sum + text.length, 0) }
}

const rendered = new WeakMap<NewTurn, RenderedTurn>()

/** It is kept: a turn is rendered when it is traced, and written with a later change. */
export function renderTurn(turn: NewTurn): RenderedTurn {
  const known = rendered.get(turn)
  if (known) return known
  const texts = { messagesJson: encodeJson(turn.messages), bodyJson: encodeJson(turn.body) }
  rendered.set(turn, texts)
  return texts
}
