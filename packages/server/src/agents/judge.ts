// The judge: looks at a finished step and decides whether to go on, plan anew, stop, or ask a person.
import { type DecisionType, decisionTypes, type InputKind, inputKinds } from '@runwright/contract'
import { z } from 'zod'
import type { Model, ModelRequest } from '../models/port/model.ts'
import { contextMessages, type LazyContext } from './prompt.ts'

export interface Verdict {
  readonly decision: DecisionType
  readonly reason: string
  readonly await:
    | { readonly reasonCode: string; readonly inputKind: InputKind | null; readonly prompt: string | null }
    | undefined
  /** Without a plan: nothing comes after this step. */
  readonly isLast: boolean
  readonly tokens: number | undefined
}

const system =
  'You judge the work of an agent after each of its steps. Decide whether it should continue with the next step, ' +
  'replan, stop because the goal is reached, or await_input because a person must answer first. Answer with JSON.'

const replySchema = z.object({
  decision: z.enum(decisionTypes),
  reason: z.string(),
  await: z
    .object({
      input_kind: z.enum(inputKinds).optional(),
      reason_code: z.string().optional(),
      prompt: z.string().optional(),
    })
    .optional(),
  last: z.boolean().optional(),
})

const outputSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['decision', 'reason'],
  properties: { decision: { type: 'string', enum: [...decisionTypes] }, reason: { type: 'string' } },
} as const

/** What the table of steps alone says: go on while there is something left. */
export const verdictByRule = (isLast: boolean): Verdict => ({
  decision: isLast ? 'stop' : 'continue',
  reason: isLast ? 'all steps are done' : 'the step is done',
  await: undefined,
  isLast,
  tokens: undefined,
})

type JudgeRequest = Pick<ModelRequest, 'signal' | 'rehearsal' | 'maxOutputTokens'>

/** Asks the model; when it fails or answers nonsense, the rule decides: a judge that is away must not end a run. */
export async function judgeStep(model: Model, context: LazyContext, request: JudgeRequest): Promise<Verdict> {
  const { isLast = true } = request.rehearsal
  const outcome = await model.respond({
    ...request,
    role: 'judge',
    get messages() {
      return contextMessages(system, context)
    },
    tools: [],
    outputSchema,
    onText: () => undefined,
  })
  const reply = outcome.kind === 'reply' ? replySchema.safeParse(outcome.output) : undefined
  if (!reply?.success) return { ...verdictByRule(isLast), tokens: outcome.tokens }
  const { decision, reason, await: wait, last } = reply.data
  return {
    decision,
    reason,
    await: wait && {
      reasonCode: wait.reason_code ?? 'input_required',
      inputKind: wait.input_kind ?? null,
      prompt: wait.prompt ?? null,
    },
    isLast: last ?? request.rehearsal.isLast ?? false,
    tokens: outcome.tokens,
  }
}
