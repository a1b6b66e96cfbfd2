// Answers the calls of one run from the recorded calls of another one that did the same.
//
//   the call was not recorded                     → the run takes another turn: cassette_mismatch
//   the request differs from the recorded one     → cassette_mismatch, with where
//   the recorded call was repeated                → its last try: waits for a provider are not replayed
//   the recorded call was aborted                 → cassette_mismatch: there is no answer
import { mapLeaves } from '../../domain/json/map-leaves.ts'
import { derivedWireId } from '../../runtime/derived-ids.ts'
import { toWireId } from '../../runtime/ids.ts'
import type { ModelFailure, ModelOutcome, ModelReply, ModelRequest, TokenUsage } from '../port/model.ts'
import { type RecordedTurn, taskOfCall } from './cassette-file.ts'
import { type Difference, findDifference } from './compare-request.ts'

interface CassetteOptions {
  /** The run that was recorded, and the one that is replayed. */
  readonly recordedRunId: string
  readonly runId: string
  readonly turns: readonly RecordedTurn[]
  /** Is told where the run takes another turn. */
  readonly onDifference?: (difference: Difference) => void
}

export class Cassette {
  /** The answers to each call, in order. */
  readonly #answers = new Map<string, RecordedTurn[]>()
  readonly #used = new Set<RecordedTurn>()
  readonly #onDifference: (difference: Difference) => void
  #calls = 0

  constructor({ recordedRunId, runId, turns, onDifference = () => undefined }: CassetteOptions) {
    this.#onDifference = onDifference
    const renamed = renameIds(turns, recordedRunId, runId)
    const lastTries = new Map(renamed.map((turn) => [turn.callKey, turn]))
    for (const turn of renamed) {
      if (!isAnswer(turn) && lastTries.get(turn.callKey) !== turn) continue
      const answers = this.#answers.get(turn.callKey)
      if (answers) answers.push(turn)
      else this.#answers.set(turn.callKey, [turn])
    }
  }

  /** How many calls were answered. */
  get calls(): number {
    return this.#calls
  }

  async answer(callKey: string, request: ModelRequest, comparable: (text: string) => string): Promise<ModelOutcome> {
    const turns = this.#answers.get(callKey) ?? []
    // A call that is made again, because its reply was lost, gets the same answer again.
    const turn = turns.find((unused) => !this.#used.has(unused)) ?? turns.at(-1)
    const difference = turn ? findDifference(turn, request, { callKey, comparable }) : notRecorded(callKey)
    if (difference) return this.#mismatch(difference)
    if (turn?.body.outcome === 'aborted') return this.#mismatch(notAnswered(callKey))
    this.#used.add(turn as RecordedTurn)
    this.#calls += 1
    return replay(turn as RecordedTurn, request)
  }

  #mismatch(difference: Difference): ModelFailure {
    this.#onDifference(difference)
    const { callKey, where, recorded, now } = difference
    const message = `The call ${callKey} is not the recorded one. ${where}: recorded ${JSON.stringify(recorded)}, now ${JSON.stringify(now)}. Record the run again if the change is intended.`
    return replayFailure('cassette_mismatch', message)
  }
}

/** A reply, or a failure that the step has to deal with. A call that failed for now was made again. */
const isAnswer = ({ body }: RecordedTurn): boolean => body.outcome === 'reply' || isFinal(body.failure)

const isFinal = (failure: RecordedTurn['body']['failure']): boolean => failure !== null && failure.retry !== 'call'

const notRecorded = (callKey: string): Difference => ({
  callKey,
  where: 'The call',
  recorded: '(no such call)',
  now: callKey,
})

const notAnswered = (callKey: string): Difference => ({
  callKey,
  where: 'The reply',
  recorded: '(the call was aborted)',
  now: callKey,
  isEnd: true,
})

export const replayFailure = (reasonCode: 'cassette_mismatch' | 'cassette_missing', message: string): ModelFailure => ({
  kind: 'failure',
  reasonCode,
  message,
  retry: 'never',
  text: '',
  usage: undefined,
})

async function replay({ body }: RecordedTurn, request: ModelRequest): Promise<ModelOutcome> {
  const text = body.reply?.text ?? ''
  if (text !== '') await request.onText(text)
  const usage = (body.usage ?? undefined) as TokenUsage | undefined
  if (body.failure) {
    const { reason_code: reasonCode, message, retry } = body.failure
    // The recorded run gave it up after a while.
    return { kind: 'failure', reasonCode, message, retry: retry === 'call' ? 'never' : retry, text, usage }
  }
  const { output, echo, tool_calls: toolCalls = [] } = body.reply ?? {}
  const finish = body.reply?.finish === 'length' ? 'length' : 'complete'
  const reply: ModelReply = { kind: 'reply', text, toolCalls: toolCalls as ModelReply['toolCalls'], finish, usage }
  return { ...reply, ...(output !== undefined && { output }), ...(echo !== undefined && { echo }) }
}

/** The id of a run, as it is stored, and ids as they are on the wire. */
const anyId = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:run|task|call)_[0-9a-z]{26}/g

/** Prompts and calls name earlier calls by ids that are derived from the run's id. */
function renameIds(turns: readonly RecordedTurn[], from: string, to: string): readonly RecordedTurn[] {
  if (from === to) return turns
  const names = new Map<string, string>([
    [from, to],
    [toWireId('run', from), toWireId('run', to)],
  ])
  for (const { callKey, body } of turns) {
    const task = taskOfCall(callKey)
    names.set(derivedWireId('task', from, task), derivedWireId('task', to, task))
    for (const index of (body.reply?.tool_calls ?? []).keys()) {
      const parts = [callKey, String(index)]
      names.set(derivedWireId('call', from, ...parts), derivedWireId('call', to, ...parts))
    }
  }
  const rename = (text: string) => text.replace(anyId, (name) => names.get(name) ?? name)
  const leaf = (value: unknown) => (typeof value === 'string' ? rename(value) : value)
  return turns.map((turn) => ({
    ...turn,
    ...(mapLeaves({ messages: turn.messages, body: turn.body }, { leaf, key: rename }) as object),
  }))
}
