// The planner: turns the run's task into a plan.
import type { Plan } from '@runwright/contract'
import { type KnownTools, parsePlan, type ResolvedPlan, toWire } from '../domain/plan/plan.ts'
import { ServiceError } from '../domain/service-error.ts'
import type { Message, ModelReply, OfferedTool } from '../models/port/model.ts'
import { describeAttachments, type ReadAttachment, userMessage } from './describe-attachments.ts'
import { prompts } from './load-prompt.ts'
import { describeRun, type PromptContext, shorten } from './prompt.ts'
import { readJson } from './read-output.ts'
import { tidyPlan } from './tidy-plan.ts'

export const planOutputSchema = {
  type: 'object',
  required: ['steps'],
  properties: {
    goal: { type: 'string' },
    steps: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          instruction: { type: 'string' },
          tools: { type: 'array', items: { type: 'string' } },
          tool: { type: 'string' },
          input: { type: 'object' },
          await_input: {
            type: 'object',
            properties: {
              input_kind: { type: 'string', enum: ['approval', 'rejection', 'payload'] },
              reason_code: { type: 'string' },
              prompt: { type: 'string' },
            },
          },
          depends_on: { type: 'array', items: { type: 'string' } },
          approval: { type: 'string', enum: ['required'] },
        },
      },
    },
  },
} as const

interface PlanningContext {
  readonly context: PromptContext
  readonly tools: readonly OfferedTool[]
  /** Rendered notes. Empty if there are none. */
  readonly memory: string
  readonly attachments?: readonly ReadAttachment[] | undefined
  /** Why the run is replanned. Undefined for the first plan. */
  readonly replan: { readonly reason: string | undefined } | undefined
}

const maxDescription = 160

export function plannerMessages({ context, tools, memory, attachments = [], replan }: PlanningContext): Message[] {
  const lines = tools.map(({ name, description }) => `- ${name}: ${firstSentence(description)}`)
  const parts = [
    ...describeAttachments(attachments),
    ...(memory === '' ? [] : [memory]),
    ...describeRun(context),
    lines.length === 0 ? 'There are no tools.' : `Tools:\n${lines.join('\n')}`,
    ...(replan ? [`Plan again. ${replan.reason ? `Why: ${replan.reason}` : 'The plan before did not work.'}`] : []),
  ]
  return [{ from: 'system', text: prompts.planner.text }, userMessage(parts, attachments)]
}

const firstSentence = (text: string): string => shorten(text.split('\n')[0] ?? '', maxDescription).split('\n')[0] ?? ''

export interface MadePlan {
  readonly plan: ResolvedPlan
  readonly wire: Plan
}

/** Returns the plan, or a sentence that says why the reply cannot be used. */
export function readPlan(said: Pick<ModelReply, 'text' | 'output'>, knownTools: KnownTools): MadePlan | string {
  const json = readJson(said)
  if (!json.ok) return json.problem
  try {
    const plan = parsePlan(tidyPlan(json.value), knownTools, { literalBraces: true })
    return { plan, wire: toWire(plan) }
  } catch (error) {
    if (error instanceof ServiceError) return error.message.replace(/\.$/, '')
    throw error
  }
}
