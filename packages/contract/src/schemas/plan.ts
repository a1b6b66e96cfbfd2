// Plan v2 on the wire: agent steps, direct tool calls, and gates that wait for a signal.
import { z } from 'zod'
import {
  defaultMaxAttempts,
  maxGoalLength,
  maxInstructionLength,
  maxLabelLength,
  maxPlanSteps,
  maxPromptLength,
  maxStepIdLength,
  maxStepTools,
} from '../vocabulary/limits.ts'
import { inputKinds, judgeModes } from '../vocabulary/vocabulary.ts'
import { approvalFields, approvalRulesSchema, escalates } from './approvals.ts'
import { jsonObject, text } from './wire.ts'

export const stepId = text(1, maxStepIdLength)

const dependsOn = z
  .array(stepId)
  .max(maxPlanSteps)
  .optional()
  .describe('Ids of the steps that must finish first. Default: the preceding step. `[]`: none; the step starts at once')

/** What a run waits for, and why. Used by gates and by the sandbox script. */
export const awaitInputSchema = escalates(
  z.strictObject({
    input_kind: z.enum(inputKinds).optional(),
    reason_code: text(1, 255).optional().describe('Default: `input_required`'),
    prompt: text(0, maxPromptLength).optional().describe('Returned by `include=awaiting_input`'),
    ...approvalFields,
  }),
)

const executable = {
  id: stepId.optional().describe('Generated if omitted'),
  depends_on: dependsOn,
  max_attempts: z.int().min(1).max(100).optional().describe(`Default: ${defaultMaxAttempts}`),
  timeout_seconds: z
    .number()
    .gt(0)
    .max(604_800)
    .optional()
    .describe(
      'After this time the run is stalled. Default and maximum: the step timeout of the service. A larger value is refused in a plan of a client, and reduced in one of a planner',
    ),
  approval: z
    .union([z.literal('required'), approvalRulesSchema])
    .optional()
    .describe('Wait for approval before the step: by anyone who may signal, or as these rules say'),
}

export const agentStepSchema = z
  .strictObject({
    ...executable,
    instruction: text(1, maxInstructionLength).describe('What the model should do; may contain templates'),
    agent: text(1, maxLabelLength)
      .optional()
      .describe('The name of the agent that does the step. Default: the agent of the run, if it has one'),
    tools: z
      .array(text(1, maxLabelLength))
      .max(maxStepTools)
      .optional()
      .describe('Default: all tools that policy allows. `[]`: none'),
    output_schema: jsonObject.optional().describe('JSON Schema that the output of the step must match'),
    judge: z
      .enum(judgeModes)
      .optional()
      .describe(
        'Whether the judge is asked after the step; with `end` only if it is the last one. Default: as the plan says',
      ),
  })
  .meta({ id: 'AgentStep' })
export type AgentStep = z.infer<typeof agentStepSchema>

export const toolStepSchema = z
  .strictObject({
    ...executable,
    tool: text(1, maxLabelLength).describe('Called directly, without a model'),
    input: jsonObject.optional().describe('May contain templates. Default: `{}`'),
  })
  .meta({ id: 'ToolStep' })
export type ToolStep = z.infer<typeof toolStepSchema>

export const gateStepSchema = z
  .strictObject({
    id: executable.id,
    depends_on: dependsOn,
    await_input: awaitInputSchema.describe(
      'Pauses the run until a signal arrives; the payload of the signal is the output of the step',
    ),
  })
  .meta({ id: 'GateStep' })
export type GateStep = z.infer<typeof gateStepSchema>

export type PlanStep = AgentStep | ToolStep | GateStep

export const planSchema = z
  .strictObject({
    version: z.literal('v2').optional(),
    goal: text(0, maxGoalLength).optional(),
    judge: z
      .enum(judgeModes)
      .optional()
      .describe(
        'When the judge is asked: after each agent step, only after the last step, or never. Default: as the agent says, else `each_step`',
      ),
    steps: z
      .array(z.union([agentStepSchema, toolStepSchema, gateStepSchema]))
      .min(1)
      .max(maxPlanSteps),
  })
  .meta({ id: 'Plan' })
export type Plan = z.infer<typeof planSchema>
