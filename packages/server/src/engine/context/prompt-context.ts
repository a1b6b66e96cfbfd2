// The run as its prompts describe it. Built from the ledger's progress when a model reads it.
import type { FinishedStep, LazyContext, PersonsAnswer, PlannedStep, PromptContext } from '../../agents/prompt.ts'
import type { ResolvedStep } from '../../domain/plan/plan.ts'
import type { TaskKey } from '../../domain/run/journal.ts'
import type { RunProgress } from '../../domain/run/progress.ts'
import type { ExecutionContext } from './execution-context.ts'

/** `current` is the step that the model works on or judges. */
export function promptContext(context: ExecutionContext, current?: TaskKey): LazyContext {
  return () => describe(context, current)
}

function describe(context: ExecutionContext, current: TaskKey | undefined): PromptContext {
  const { progress } = context.ledger
  return {
    goal: progress.plan?.goal,
    input: context.inputs.shown.input,
    attachmentRefs: context.run.attachmentRefs ?? [],
    date: new Date().toISOString().slice(0, 10),
    plan: progress.plan?.steps.map((step) => describeStep(progress, step, current)),
    finished: finishedSteps(progress),
    answer: lastAnswer(progress),
    tokensLeft: context.tokens.left,
    secondsLeft: context.clock.secondsLeft,
  }
}

const finishedSteps = (progress: RunProgress): FinishedStep[] =>
  progress.finished.filter(({ kind }) => kind !== 'planner')

function describeStep(progress: RunProgress, step: ResolvedStep, current: TaskKey | undefined): PlannedStep {
  const key = progress.keyOf(step.id)
  const state = key === current ? 'current' : progress.isStepDone(step.id) ? 'done' : 'open'
  return { id: step.id, what: whatOf(step), state }
}

export function whatOf(step: ResolvedStep): string {
  if (step.kind === 'agent') return step.instruction
  return step.kind === 'tool' ? `calls the tool ${step.tool}` : `waits for a person: ${step.prompt ?? step.reasonCode}`
}

function lastAnswer(progress: RunProgress): PersonsAnswer | undefined {
  const { lastAnswer: answer } = progress
  if (!answer) return undefined
  return { action: answer.action, asked: progress.questionOf(answer.waitKey), payload: answer.payload }
}
