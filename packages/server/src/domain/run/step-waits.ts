// What a run asks before a step of its plan: the question of a gate, or an approval.
import type { ResolvedAgentStep, ResolvedStep, ResolvedToolStep } from '../plan/plan.ts'
import type { TaskKey } from './journal.ts'
import type { Task, Wait } from './next-move.ts'
import { approvalKey, gateKey } from './wait-keys.ts'

/** Undefined if the step starts without a question. */
export function waitBefore(step: ResolvedStep, task: Omit<Task, 'step'>): Wait | undefined {
  const { key } = task
  if (step.kind === 'gate') {
    const { reasonCode, inputKind = null, prompt = null, approval: rules } = step
    return { key: gateKey(key), reasonCode, inputKind, prompt, rules }
  }
  if (!step.approvalRequired) return undefined
  return {
    key: approvalKey(key),
    reasonCode: 'approval_required',
    inputKind: 'approval',
    prompt: approvalQuestion(step),
    rules: step.approval,
    before: { ...task, step },
  }
}

/** The question of a wait before a step, if it is that one and has words. */
export function questionBefore(step: ResolvedStep, key: TaskKey, waitKey: string): string | undefined {
  if (step.kind === 'gate') return gateKey(key) === waitKey ? step.prompt : undefined
  return approvalKey(key) === waitKey ? approvalQuestion(step) : undefined
}

const approvalQuestion = (step: ResolvedAgentStep | ResolvedToolStep): string =>
  step.kind === 'agent' ? `May this step start: ${step.instruction}` : `May the tool ${step.tool} be called?`
