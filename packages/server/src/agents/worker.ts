// The worker: does one step, in as many turns as its tools take. Which turn it is, and what came before, is the caller's.
import type { Message, Model, ModelOutcome, ModelRequest } from '../models/model.ts'
import { contextMessages, type LazyContext } from './prompt.ts'

const system =
  'You are an agent that works on one step of a larger task. Use the tools you are offered when they help. ' +
  'When the step is done, answer with its result as text.'

export interface WorkerTurn
  extends Pick<ModelRequest, 'tools' | 'signal' | 'onText' | 'rehearsal' | 'maxOutputTokens'> {
  readonly instruction: string
  /** Replies and tool results of the turns before. */
  readonly conversation: readonly Message[]
}

export function workOn(model: Model, context: LazyContext, turn: WorkerTurn): Promise<ModelOutcome> {
  const { instruction, conversation, ...request } = turn
  return model.respond({
    ...request,
    role: 'worker',
    get messages() {
      const task: Message[] = instruction === '' ? [] : [{ from: 'user', text: `Now do this step: ${instruction}` }]
      return [...contextMessages(system, context), ...task, ...conversation]
    },
    outputSchema: undefined,
  })
}
