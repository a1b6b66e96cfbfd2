// Executes a run that has ended once more, with the code and the prompts of today, and finds the first difference. No
// model, no tool and no database is used: replies come from the run's turns, results from its journal, answers from its
// signals.
//
//   until the run has ended as often as the recorded one, a rejection by a person included:
//     execute it; when it waits, continue with the recorded answer; when it is parked, continue at once
//   a request that differs, or a decision that the recorded run did not make, is the difference

import type { Answer } from '../../domain/run/answer-log.ts'
import type { JournalEntry, JournalKind } from '../../domain/run/journal.ts'
import type { RunState } from '../../domain/run/states.ts'
import { outcomeOf } from '../../domain/run/wait-keys.ts'
import { Breakers } from '../../models/breaker.ts'
import { Cassette } from '../../models/cassette/cassette.ts'
import type { Difference } from '../../models/cassette/compare-request.ts'
import type { Model } from '../../models/port/model.ts'
import { sandbox } from '../../models/sandbox/sandbox.ts'
import type { FinishedRun } from '../../store/turns/finished-run.ts'
import type { Tool } from '../../tools/port/tool.ts'
import type { EngineParts } from '../context/engine-parts.ts'
import { permanentLease } from '../context/lease.ts'
import { progressOf } from '../executions.ts'
import { RunLedger } from '../ledger/run-ledger.ts'
import { RunExecution } from '../run-execution.ts'
import { compareDecisions, type DecisionDifference, decisionsOf } from './decisions.ts'
import { MemoryLog } from './memory-log.ts'
import { recordedTools } from './recorded-tools.ts'
import { UnknownOutcomes } from './unknown-outcomes.ts'

export type ReplayParts = Pick<
  EngineParts,
  'agents' | 'limits' | 'policy' | 'providerRetry' | 'schemas' | 'stepTimeoutSeconds' | 'logger' | 'recovery'
> & {
  readonly tools: readonly Tool[]
  /** The context window of a model. Undefined: not known. */
  readonly windowOf: (model: string) => number | undefined
}

export interface Replayed {
  readonly calls: number
  readonly events: number
  /** Why the execution stopped before the end of the recorded run; undefined: it did not. */
  readonly stopped: string | undefined
  readonly difference:
    | ({ readonly kind: 'request' } & Difference)
    | ({ readonly kind: 'decision' } & DecisionDifference)
    | undefined
}

export function replayRun(recorded: FinishedRun, parts: ReplayParts): Promise<Replayed> {
  return new Replay(recorded, parts).run()
}

/** Recorded after turns existed, or played by the sandbox, which plays it again. */
export function canReplay({ turns, history }: FinishedRun): boolean {
  return turns.length > 0 || repliesOf(history.entries).every(({ body }) => body.model === sandbox.name)
}

const repliesOf = (entries: readonly JournalEntry[]) => entries.filter((entry) => entry.kind === 'reply')

/**
 * What came into the run from outside: its agents, the files that were fetched, what servers listed, what the policy
 * takes into account, and what a fork began with. A replay reads no folder, fetches nothing and does not search memory.
 */
const fromOutside: ReadonlySet<JournalKind> = new Set(['agents', 'file', 'search', 'touch', 'kept'])

const anySlot = { isWanted: false, giveBack: () => undefined, stepFinished: () => undefined }

/** A run waits, is parked and is retried far less often. */
const maxExecutions = 10_000

/** Tries that sent nothing count as well, and a replay has none of them: their numbers may differ. */
function isTo(waitKey: string | undefined, answer: Answer): boolean {
  const [asked, answered] = [waitKey, answer.waitKey].map((key) => outcomeOf(key ?? ''))
  if (!asked?.times || !answered?.times) return answer.waitKey === waitKey
  return answered.callId === asked.callId
}

class Replay {
  readonly #recorded: FinishedRun
  readonly #parts: EngineParts
  readonly #windowOf: ReplayParts['windowOf']
  readonly #cassette: Cassette
  readonly #log: MemoryLog
  /** Those that are still to be given. */
  readonly #answers: Answer[]
  #request: Difference | undefined
  #execution: RunExecution | undefined
  #stopped: string | undefined

  constructor(recorded: FinishedRun, { tools, windowOf, ...parts }: ReplayParts) {
    this.#recorded = recorded
    this.#windowOf = windowOf
    this.#answers = [...recorded.history.answers]
    const { run, turns, history } = recorded
    this.#cassette = new Cassette({ recordedRunId: run.id, runId: run.id, turns, onDifference: this.#note })
    this.#log = new MemoryLog(history.entries.filter(({ kind }) => fromOutside.has(kind)))
    const results = new Map(
      history.entries.flatMap((entry) => (entry.kind === 'result' ? [[entry.name, entry.body]] : [])),
    )
    const offered = turns.flatMap(({ body }) => body.tools)
    const unknown = new UnknownOutcomes(history.answers)
    const catalogue = recordedTools(tools, offered, { results, unknown, onUnknown: this.#noteCall })
    const models = turns.length === 0 ? [sandbox] : [this.#model()]
    this.#parts = {
      ...parts,
      catalogue,
      models: { planner: models, worker: models, judge: models },
      // An agent or a run may name its own.
      findModels: () => models,
      ...(typeof run.metadata.model === 'string' && { allowedModels: [run.metadata.model] }),
      breakers: new Breakers(),
    }
  }

  async run(): Promise<Replayed> {
    let attempt = 1
    const answers: Answer[] = []
    for (let executions = 1; ; executions += 1) {
      await this.#execute(attempt, answers)
      if (this.#request) break
      if (executions === maxExecutions) throw new Error('the run does not come to an end')
      const state = this.#log.state === 'awaiting_input' ? this.#answer(answers) : this.#log.state
      if (state === 'running') continue
      if (state !== 'failed' || attempt === this.#recorded.attempts) break
      attempt += 1
    }
    return this.#result()
  }

  async #execute(attempt: number, answers: readonly Answer[]): Promise<void> {
    this.#log.state = 'running'
    const run = { ...this.#recorded.run, attempt }
    const progress = progressOf(run, { entries: this.#log.journal, answers: [...answers] })
    const ledger = new RunLedger(run, progress, this.#log.asRunLog)
    this.#execution = new RunExecution(this.#parts, ledger, { slot: anySlot, lease: permanentLease() })
    await this.#execution.execute()
  }

  /** Adds the next recorded answer to the wait. Returns the state of the run after it. */
  #answer(answers: Answer[]): RunState {
    const { waitKey } = this.#log
    const answer = this.#answers.find((one) => isTo(waitKey, one))
    if (!answer || waitKey === undefined) {
      this.#stopped = 'the recorded run was not continued by an answer here'
      return 'awaiting_input'
    }
    this.#answers.splice(this.#answers.indexOf(answer), 1)
    answers.push({ ...answer, waitKey })
    return answer.action === 'reject' ? 'failed' : 'running'
  }

  #model(): Model {
    const { turns } = this.#recorded
    const name = turns[0]?.body.model ?? ''
    return {
      name,
      contextTokens: this.#windowOf(name),
      respond: (request) =>
        this.#cassette.answer(request.origin?.callKey ?? '', request, request.origin?.comparable ?? ((text) => text)),
    }
  }

  readonly #note = (difference: Difference): void => {
    if (difference.isEnd) this.#stopped = 'the recorded run was aborted here'
    this.#request ??= difference
    this.#log.close()
    this.#execution?.abort('lost')
  }

  readonly #noteCall = (name: string, input: unknown): void => {
    this.#note({
      callKey: name,
      where: 'The tool call',
      recorded: '(no such call)',
      now: `${name}(${JSON.stringify(input)})`,
    })
  }

  #result(): Replayed {
    const recorded = decisionsOf(
      this.#recorded.events.map(({ type, payload }) => ({ type, payload: JSON.parse(payload) })),
    )
    const now = decisionsOf(this.#log.events)
    const request = this.#request?.isEnd ? undefined : this.#request
    const isPartial = this.#request !== undefined || this.#stopped !== undefined
    // A decision that was made before the request that differs is the first difference.
    const decision = compareDecisions(recorded, now, isPartial)
    const difference = decision
      ? { kind: 'decision' as const, ...decision }
      : request && { kind: 'request' as const, ...request }
    return { calls: this.#cassette.calls, events: now.length, stopped: this.#stopped, difference }
  }
}
