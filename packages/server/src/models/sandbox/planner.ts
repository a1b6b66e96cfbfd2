// The sandbox as planner: one step for each remaining entry of the script.
import { maxPlanSteps } from '@runwright/contract'
import type { ModelOutcome, ModelRequest } from '../port/model.ts'
import { scriptToPlan } from './script.ts'
import { speak } from './speak.ts'

export async function planFromScript({ rehearsal, signal, onText }: ModelRequest): Promise<ModelOutcome> {
  const { agentStep } = rehearsal
  const left = scriptToPlan(rehearsal).length - agentStep
  const count = Math.min(Math.max(left, 1), maxPlanSteps)
  const steps = Array.from({ length: count }, (_, index) => ({
    instruction: `Play step ${agentStep + index + 1} of the sandbox's script.`,
  }))
  const sentence = `Planned ${count} ${count === 1 ? 'step' : 'steps'} (sandbox).`
  const text = await speak(sentence, { pauseMs: 0, signal, onText })
  if (signal.aborted) return { kind: 'aborted', text, usage: undefined }
  return { kind: 'reply', text, toolCalls: [], output: { steps }, finish: 'complete', usage: undefined }
}
