// The worker: does one step, in as many turns as its tools need. The conversation is built only from the turns, so
// every execution of the run builds the same one.
import type { CallResultEntry, JournaledCall } from '../domain/run/journal.ts'
import type { Summary } from '../domain/run/turn-log.ts'
import type { Message } from '../models/port/model.ts'
import type { Agent } from './definitions/agent-set.ts'
import { describeAttachments, type ReadAttachment, userMessage } from './describe-attachments.ts'
import { prompts } from './load-prompt.ts'
import { asData, describeBudget, describeRun, type PromptContext, type Shown } from './prompt.ts'
import { showResult } from './show-result.ts'
import { decideTurn, type LoopRules, type WorkerTurn } from './worker-loop.ts'

interface WorkerContext {
  /** Whose instructions the step follows. */
  readonly agent?: Pick<Agent, 'name' | 'instructions'> | undefined
  readonly context: PromptContext
  readonly instruction: string
  /** Rendered notes. Empty if there are none. */
  readonly memory: string
  readonly attachments?: readonly ReadAttachment[] | undefined
  readonly turns: readonly WorkerTurn[]
  readonly rules: LoopRules
  /** Replaces the oldest turns. Undefined if all turns are shown. */
  readonly summary: Summary | undefined
  readonly shown?: (Shown & { readonly toolResultLength?: number }) | undefined
}

export function workerMessages(worker: WorkerContext): Message[] {
  const { agent, context, instruction, memory, attachments = [], rules, shown } = worker
  const schema = rules.outputSchema
  const task = [
    ...describeAttachments(attachments, shown?.resultLength),
    ...(memory === '' ? [] : [memory]),
    ...describeRun(context, shown),
    describeBudget(context),
    `Now do this step: ${instruction || 'Do what the input asks for.'}`,
    ...(schema ? [`The result must be one JSON value that matches this JSON Schema: ${JSON.stringify(schema)}`] : []),
  ]
  const system = agent ? `${prompts.worker.text}\n\n${describeAgent(agent)}` : prompts.worker.text
  return [{ from: 'system', text: system }, userMessage(task, attachments), ...conversation(worker)]
}

/** Not marked as data: the operator wrote the instructions, and the model is to follow them. */
const describeAgent = ({ name, instructions }: Pick<Agent, 'name' | 'instructions'>): string =>
  `You are the agent "${name}". The operator of this service gives you these instructions. Follow them in this step.\n\n${instructions}`

function conversation({ turns, rules, summary, shown }: WorkerContext): Message[] {
  const hidden = Math.min(summary?.turns ?? 0, turns.length)
  const opening: Message[] =
    summary && hidden > 0
      ? [{ from: 'user', text: asData('summary of your work on this step so far', summary.text) }]
      : []
  const shownTurns = turns.slice(hidden).flatMap((turn, index) => {
    const decision = decideTurn(turns.slice(0, hidden + index + 1), rules)
    const said: Message[] = decision.kind === 'ask' && decision.say ? [{ from: 'user', text: decision.say }] : []
    return [...turnMessages(turn, shown?.toolResultLength), ...said]
  })
  return [...opening, ...shownTurns]
}

export function turnMessages({ reply, results }: WorkerTurn, resultLength?: number): Message[] {
  const { text, calls, echo } = reply
  const toolCalls = calls.map(({ modelCallId, name, input }) => ({ id: modelCallId, name, input }))
  return [
    { from: 'assistant', text, toolCalls, ...(echo !== undefined && { echo }) },
    ...calls.map((call, index) => toolMessage(call, results[index] as CallResultEntry, resultLength)),
  ]
}

const toolMessage = (call: JournaledCall, end: CallResultEntry, resultLength: number | undefined): Message => ({
  from: 'tool',
  callId: call.modelCallId,
  name: call.name,
  result: withNote(end, end.outcome === 'succeeded' ? showResult(call.callId, end.output, resultLength) : end.message),
  failed: end.outcome !== 'succeeded',
})

const withNote = ({ note }: CallResultEntry, result: unknown): unknown =>
  note === undefined ? result : { result, note }
