// The tries of calls whose outcome was not known, and about which a person has decided. A replay makes them again with
// no outcome, so that it asks the same questions. They are read from the answers: the tries themselves are deleted once
// a run has succeeded.
import { type Answer, AnswerLog } from '../../domain/run/answer-log.ts'
import { outcomeOf } from '../../domain/run/wait-keys.ts'
import { mayStillRun } from '../calls/unknown-outcome.ts'

type Unknown = 'failed' | 'timeout'

export class UnknownOutcomes {
  /** The names of the tools. Such a call had a side effect, whatever is known about its tool now. */
  readonly tools = new Set<string>()
  /** By call id. */
  readonly #tries = new Map<string, Unknown[]>()

  constructor(answers: readonly Answer[]) {
    const log = new AnswerLog()
    for (const answer of answers) log.add(answer)
    const seen = new Set<string>()
    for (const { waitKey, asked } of log.all) {
      const { callId, times } = outcomeOf(waitKey) ?? {}
      // A question that was rejected and asked again is about the same try. 0: it was no try of this call.
      if (callId === undefined || times === 0 || seen.has(waitKey)) continue
      seen.add(waitKey)
      if (asked?.call) this.tools.add(asked.call.tool)
      const tries = this.#tries.get(callId) ?? []
      this.#tries.set(callId, [...tries, mayStillRun(asked?.prompt ?? '') ? 'timeout' : 'failed'])
    }
  }

  /** How the next try of the call ends, if that is not known. */
  next(callId: string): Unknown | undefined {
    return this.#tries.get(callId)?.shift()
  }
}
