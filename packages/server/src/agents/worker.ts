// The worker: does one step, in as many turns as its tools take. Which turn it is, and what came before, is the caller's.
import type { Message, Model, ModelOutcome, ModelRequest } from '../models/port/model.ts'
import { contextMessages, type LazyContext, taskOf } from './prompt.ts'
import { type Recall, recallFor } from './recall.ts'

const system =
  'You are an agent that works on one step of a larger task. Use the tools you are offered when they help. ' +
  'When the step is done, answer with its result as text.'

export interface WorkerTurn
  extends Pick<ModelRequest, 'tools' | 'signal' | 'onText' | 'rehearsal' | 'maxOutputTokens'> {
  readonly instruction: string
  /** Replies and tool results of the turns before. */
  readonly conversation: readonly Message[]
  readonly recall?: Recall
}

export async function workOn(model: Model, context: LazyContext, turn: WorkerTurn): Promise<ModelOutcome> {
  const { instruction, conversation, recall, ...request } = turn
  const memory = await recallFor(model, recall, () => instruction || taskOf(context()))
  return model.respond({
    ...request,
    role: 'worker',
    get messages() {
      const task: Message[] = instruction === '' ? [] : [{ from: 'user', text: `Now do this step: ${instruction}` }]
      return [...contextMessages(system, context, memory), ...task, ...conversation]
    },
    outputSchema: undefined,
  })
}
