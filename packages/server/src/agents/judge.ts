// The judge: looks at a finished step and its evidence, and decides whether to continue, replan, stop, or ask a person.
import {
  type ApprovalRules,
  approvalFields,
  type DecisionType,
  decisionTypes,
  type InputKind,
  inputKinds,
} from '@runwright/contract'
import { z } from 'zod'
import { approvalOf } from '../domain/plan/approval-rules.ts'
import type { Message, ModelReply } from '../models/port/model.ts'
import { asData } from './as-data.ts'
import { describeResult, type Shown } from './finished-steps.ts'
import { prompts } from './load-prompt.ts'
import { describeBudget, describeRun, type PromptContext } from './prompt.ts'
import { readJson } from './read-output.ts'
import { shorten, shortenValue } from './value-text.ts'

export interface Question {
  readonly reasonCode: string
  readonly inputKind: InputKind | null
  readonly prompt: string | null
  /** Who may answer. Only the sandbox's script says it. */
  readonly rules?: ApprovalRules | undefined
}

/** The judge's decision in its own words. */
export interface JudgeReply {
  readonly decision: DecisionType
  readonly reason: string
  /** If false, a decision to stop fails the run. */
  readonly goalReached: boolean
  /** What the next step of a run without a plan has to do. */
  readonly nextInstruction: string | undefined
  readonly question: Question | undefined
  /** The sandbox knows when its script is over. Undefined: the judge does not say. */
  readonly isLast: boolean | undefined
}

export interface JudgedStep {
  readonly stepId: string
  readonly instruction: string
  readonly content: string
  readonly output: unknown
  readonly calls: readonly JudgedCall[]
  /** How many steps of the plan are left. Undefined if there is no plan. */
  readonly stepsLeft: number | undefined
  /** How many of them happen although the judge decides to stop. */
  readonly stepsAfterStop: number
}

export interface JudgedCall {
  readonly name: string
  readonly input: unknown
  readonly outcome: string
  readonly result: unknown
}

export const judgeSchema = {
  type: 'object',
  required: ['decision', 'reason'],
  properties: {
    decision: { type: 'string', enum: [...decisionTypes] },
    reason: { type: 'string' },
    goal_reached: { type: 'boolean' },
    next_instruction: { type: 'string' },
    input_kind: { type: 'string', enum: [...inputKinds] },
    prompt: { type: 'string' },
    reason_code: { type: 'string' },
  },
} as const

/** How much of the calls is shown. */
interface ShownCalls {
  readonly length: number
  readonly count: number
}

const allCalls: ShownCalls = { length: 1_000, count: 50 }
/** For a window that is too small for the others. */
const fewCalls: ShownCalls = { length: 200, count: 20 }

/** `shown` is given if the prompt was too long. */
export function judgeMessages(context: PromptContext, step: JudgedStep, shown?: Shown): Message[] {
  const parts = [
    ...describeRun(context, shown),
    `The step that has just ended: ${step.stepId}\nInstruction: ${step.instruction || 'Do what the input asks for.'}`,
    describeCalls(step.calls, shown),
    describeResult(step, shown?.resultLength),
    describeBudget(context),
    mayDecide(step),
  ]
  return [
    { from: 'system', text: prompts.judge.text },
    { from: 'user', text: parts.join('\n\n') },
  ]
}

export function describeCalls(calls: readonly JudgedCall[], shown: Shown | undefined): string {
  const { length, count } = shown === undefined ? allCalls : fewCalls
  if (calls.length === 0) return 'Tool calls of the step: none'
  const lines = calls.slice(-count).map(({ name, input, outcome, result }) => {
    return `${name}(${shortenInCall(input, length)}) ${outcome}: ${shortenInCall(result, length)}`
  })
  const hidden = calls.length - lines.length
  return `Tool calls of the step:\n${asData('tool calls', [...(hidden > 0 ? [`${hidden} earlier calls`] : []), ...lines].join('\n'))}`
}

const shortenInCall = (value: unknown, maxLength: number): string =>
  typeof value === 'string'
    ? shorten(JSON.stringify(value.slice(0, maxLength + 1)), maxLength)
    : shortenValue(value, maxLength)

function mayDecide({ stepsLeft, stepsAfterStop }: JudgedStep): string {
  if (stepsLeft === undefined)
    return 'There is no plan. `continue` starts another step, which does what your `next_instruction` says. If nothing more has to be done, decide `stop`.'
  if (stepsLeft === 0) return 'This was the last step of the plan: `continue` and `stop` both end the run.'
  const left = `${stepsLeft} ${stepsLeft === 1 ? 'step of the plan is' : 'steps of the plan are'} left.`
  if (stepsAfterStop === 0) return left
  const some = stepsAfterStop === 1 ? '1 of them happens' : `${stepsAfterStop} of them happen`
  const all = stepsLeft === 1 ? 'It happens' : 'They happen'
  const which = stepsAfterStop === stepsLeft ? all : some
  return `${left} ${which} even if you decide to stop. Only \`stop\` with \`goal_reached\` false ends the run here, as failed.`
}

const openQuestion = 'The run awaits input before it can go on, and the judge did not say which.'

const questionFields = {
  input_kind: z.enum(inputKinds).optional().catch(undefined),
  reason_code: z
    .string()
    .regex(/^[a-z0-9_.-]{1,255}$/i)
    .optional()
    .catch(undefined),
  prompt: z.string().optional().catch(undefined),
}

// Unknown fields are ignored and malformed ones dropped: a readable decision counts, whatever else the reply contains.
const replySchema = z.object({
  decision: z
    .string()
    .transform((word) =>
      word
        .trim()
        .toLowerCase()
        .replaceAll(/[\s-]+/g, '_'),
    )
    .pipe(z.enum(decisionTypes)),
  reason: z.string().catch(''),
  goal_reached: z.union([z.boolean(), z.stringbool()]).catch(true),
  next_instruction: z.string().optional().catch(undefined),
  ...questionFields,
  await: z
    .object({ ...questionFields, ...approvalFields })
    .optional()
    .catch(undefined),
  last: z.boolean().optional().catch(undefined),
})

/** Returns the reply, or a sentence that says why it cannot be used. */
export function readJudge(said: Pick<ModelReply, 'text' | 'output'>): JudgeReply | string {
  const json = readJson(said)
  if (!json.ok) return json.problem
  const parsed = replySchema.safeParse(json.value)
  if (!parsed.success) return `decision must be one of ${decisionTypes.join(', ')}`
  const { decision, reason, goal_reached: goalReached, last: isLast, await: nested, ...flat } = parsed.data
  const nextInstruction = flat.next_instruction?.trim() || undefined
  const asked = { ...flat, ...nested }
  const { approval: rules } = approvalOf(nested ?? {})
  const question = {
    reasonCode: asked.reason_code ?? 'input_required',
    inputKind: asked.input_kind ?? null,
    // A person always gets a question. Only the sandbox's script may leave it out.
    prompt: asked.prompt?.trim() || (said.output === undefined ? reason.trim() || openQuestion : null),
    ...(rules && said.output !== undefined && { rules }),
  }
  const asking = decision === 'await_input' ? question : undefined
  return { decision, reason, goalReached, nextInstruction, isLast, question: asking }
}
