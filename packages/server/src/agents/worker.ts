// The worker: does one step, in as many turns as its tools need. The conversation is built only from the turns, so
// every execution of the run builds the same one.
import type { AgentRubric } from '@runwright/contract'
import { isRubricProblem, readRubric } from '../domain/rubric/rubric.ts'
import type { CallResultEntry, JournaledCall } from '../domain/run/journal.ts'
import type { Summary } from '../domain/run/turn-log.ts'
import type { Message } from '../models/port/model.ts'
import { asData } from './as-data.ts'
import type { Agent, Skill } from './definitions/agent-set.ts'
import { describeAttachments, type ReadAttachment, userMessage } from './describe-attachments.ts'
import { describeSkills } from './describe-skills.ts'
import type { Shown } from './finished-steps.ts'
import { describeRubric } from './grader.ts'
import { prompts } from './load-prompt.ts'
import {
  type Budget,
  describeAnswers,
  describeBudget,
  describeRun,
  type PersonsAnswer,
  type PromptContext,
} from './prompt.ts'
import { showResult } from './show-result.ts'
import { wrapCall } from './tool-search/wrapped-call.ts'
import { decideTurn, type LoopRules, type WorkerTurn } from './worker-loop.ts'

type DescribedAgent = Pick<Agent, 'name' | 'instructions'> & { readonly rubric?: Agent['rubric'] }

interface WorkerContext {
  /** Whose instructions the step follows. */
  readonly agent?: DescribedAgent | undefined
  /** Those that it may load. */
  readonly skills?: readonly Skill[] | undefined
  readonly context: PromptContext
  readonly instruction: string
  /** Rendered notes. Empty if there are none. */
  readonly memory: string
  readonly attachments?: readonly ReadAttachment[] | undefined
  readonly turns: readonly WorkerTurn[]
  /** What people answered about a call of the turns. Default: nothing. */
  readonly answersAbout?: (callId: string) => readonly PersonsAnswer[]
  /** Given if little is left. */
  readonly budget?: Budget | undefined
  readonly rules: LoopRules
  /** Every call has the schema of the output. It is put into words only where the provider does not enforce it. */
  readonly sendsSchema?: boolean
  /** Replaces the oldest turns. Undefined if all turns are shown. */
  readonly summary: Summary | undefined
  readonly shown?: (Shown & { readonly toolResultLength?: number }) | undefined
}

export function workerMessages(worker: WorkerContext): Message[] {
  const { agent, skills = [], context, instruction, memory, attachments = [], rules, shown, budget } = worker
  const schema = worker.sendsSchema ? undefined : rules.outputSchema
  const task = [
    ...describeAttachments(attachments, shown?.resultLength),
    ...(memory === '' ? [] : [memory]),
    ...describeRun(context, shown),
    `Now do this step: ${instruction || 'Do what the input asks for.'}`,
    ...(schema ? [`The result must be one JSON value that matches this JSON Schema: ${JSON.stringify(schema)}`] : []),
  ]
  const system = [prompts.worker.text, ...(agent ? [describeAgent(agent)] : []), describeSkills(skills)]
  return [
    { from: 'system', text: system.filter((part) => part !== '').join('\n\n') },
    userMessage(task, attachments),
    ...conversation(worker),
    // Last, because it differs in every turn, and what comes before is cached.
    ...(budget ? [{ from: 'user' as const, text: describeBudget(budget) }] : []),
  ]
}

/** Not marked as data: the operator wrote the instructions, and the model is to follow them. */
const describeAgent = ({ name, instructions, rubric }: DescribedAgent): string => {
  const graded = rubric ? [`Your answer is graded. ${describeGiven(rubric)}`] : []
  const opening = `You are the agent "${name}". The operator of this service gives you these instructions. Follow them in this step.`
  return [opening, instructions, ...graded].join('\n\n')
}

function describeGiven(given: AgentRubric): string {
  const rubric = readRubric(given, { at: ['rubric'], of: 'agent' })
  return isRubricProblem(rubric) ? '' : describeRubric(rubric)
}

function conversation({ turns, rules, summary, shown, answersAbout = () => [] }: WorkerContext): Message[] {
  const hidden = Math.min(summary?.turns ?? 0, turns.length)
  const opening: Message[] =
    summary && hidden > 0
      ? [{ from: 'user', text: asData('summary of your work on this step so far', summary.text) }]
      : []
  const shownTurns = turns.slice(hidden).flatMap((turn, index) => {
    const decision = decideTurn(turns.slice(0, hidden + index + 1), rules)
    const answers = describeAnswers(turn.reply.calls.flatMap(({ callId }) => answersAbout(callId)))
    const told = [...answers, ...(decision.kind === 'ask' && decision.say ? [decision.say] : [])]
    const said: Message[] = told.length > 0 ? [{ from: 'user', text: told.join('\n\n') }] : []
    return [...turnMessages(turn, shown?.toolResultLength), ...said]
  })
  return [...opening, ...shownTurns]
}

export function turnMessages({ reply, results }: WorkerTurn, resultLength?: number): Message[] {
  const { text, calls, echo } = reply
  const toolCalls = calls.map((call) => ({ id: call.modelCallId, ...wrapCall(call) }))
  return [
    { from: 'assistant', text, toolCalls, ...(echo !== undefined && { echo }) },
    ...calls.map((call, index) => toolMessage(call, results[index] as CallResultEntry, resultLength)),
  ]
}

const toolMessage = (call: JournaledCall, end: CallResultEntry, resultLength: number | undefined): Message => ({
  from: 'tool',
  callId: call.modelCallId,
  name: wrapCall(call).name,
  result: withNote(end, end.outcome === 'succeeded' ? showResult(call.callId, end.output, resultLength) : end.message),
  failed: end.outcome !== 'succeeded',
})

const withNote = ({ note }: CallResultEntry, result: unknown): unknown =>
  note === undefined ? result : { result, note }
