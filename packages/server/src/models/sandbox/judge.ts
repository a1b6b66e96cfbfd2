// The sandbox as judge: follows the script's decision, or continues until no step is left. It grades by the script,
// too.
import type { DecisionType, SandboxStep } from '@runwright/contract'
import type { ModelOutcome, ModelRequest, Rehearsal } from '../port/model.ts'
import { scriptOf, stepOf } from './script.ts'

interface Verdict {
  readonly decision: DecisionType
  readonly reason: string
  readonly await?: SandboxStep['await']
  readonly goal_reached?: boolean
  /** Nothing comes after the answer. */
  readonly last?: boolean
}

export async function judgeByScript({ rehearsal, signal }: ModelRequest): Promise<ModelOutcome> {
  if (signal.aborted) return { kind: 'aborted', text: '', usage: undefined }
  return {
    kind: 'reply',
    text: '',
    toolCalls: [],
    output: rehearsal.grades ? grade(rehearsal) : judge(rehearsal),
    finish: 'complete',
    usage: undefined,
  }
}

function judge(rehearsal: Rehearsal): Verdict {
  const { then: scripted, await: wait, goal_reached } = stepOf(rehearsal)
  // Without a plan nothing else ends the run: it would continue forever.
  if (hasRunOut(rehearsal) && (scripted ?? 'continue') === 'continue') {
    return { decision: 'stop', reason: 'the script has run out' }
  }
  if (scripted === undefined || (scripted === 'continue' && rehearsal.isLast)) {
    return rehearsal.isLast ? lastStepDone : moreToCome
  }
  const reason = 'the script says so'
  if (scripted === 'stop' && goal_reached !== undefined) return { decision: scripted, reason, goal_reached }
  if (scripted !== 'await_input') return { decision: scripted, reason }
  return { decision: scripted, reason, await: wait ?? {}, last: hasRunOut(rehearsal) || rehearsal.isLast === true }
}

/** An answer passes unless the script says otherwise. */
function grade(rehearsal: Rehearsal) {
  const { grades = [] } = stepOf(rehearsal)
  const { passes = true, scores, notes = '' } = grades[rehearsal.revision ?? 0] ?? {}
  return { ...(scores ? { scores } : { passes }), notes }
}

const lastStepDone: Verdict = { decision: 'stop', reason: 'the last step is done' }
const moreToCome: Verdict = { decision: 'continue', reason: 'more steps follow' }

const hasRunOut = (rehearsal: Rehearsal): boolean =>
  rehearsal.isLast === undefined && rehearsal.agentStep + 1 >= scriptOf(rehearsal).length
