// What a model is told: who it is here, what the run is about, what has been done, and what to do now.
import { cutText } from '../domain/text.ts'
import type { Message } from '../models/port/model.ts'

export interface PromptContext {
  readonly goal: string | undefined
  /** The run's input with everything sensitive taken out. */
  readonly input: unknown
  /** Finished steps, oldest first. */
  readonly finished: readonly { readonly stepId: string; readonly content: string; readonly output: unknown }[]
  /** What a person has sent last; undefined: nothing. */
  readonly signal: { readonly payload: unknown } | undefined
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Contexts are made when a model reads them: the sandbox never does, and inputs can be large. */
export type LazyContext = () => PromptContext

const maxTaskLength = 1_000

/** What the run is about, cut short: enough to look up what is known about it. */
export function taskOf({ goal, input }: PromptContext): string {
  return cutText([...(goal === undefined ? [] : [goal]), textOf(input)].join('\n'), maxTaskLength)
}

/** `memory` is what earlier runs have left, as it is to be shown. */
export function contextMessages(system: string, makeContext: LazyContext, memory = ''): Message[] {
  const context = makeContext()
  const parts = [
    ...(memory === '' ? [] : [memory]),
    ...(context.goal === undefined ? [] : [`Goal: ${context.goal}`]),
    `Input: ${textOf(context.input)}`,
    ...context.finished.map(({ stepId, content, output }) =>
      output === null
        ? `Result of ${stepId}: ${content}`
        : `Result of ${stepId}: ${content}\nOutput: ${textOf(output)}`,
    ),
    ...(context.signal ? [`A person answered: ${textOf(context.signal.payload)}`] : []),
  ]
  return [
    { from: 'system', text: system },
    { from: 'user', text: parts.join('\n\n') },
  ]
}
