// The script of the sandbox model, `input.sandbox`: what each agent step says, which tools it calls and how it ends.
import { z } from 'zod'
import { maxRevisions } from '../vocabulary/limits.ts'
import { decisionTypes } from '../vocabulary/vocabulary.ts'
import { awaitInputSchema } from './plan.ts'
import { jsonObject, text } from './wire.ts'

const maxMilliseconds = 86_400_000
const milliseconds = z.number().min(0).max(maxMilliseconds)

const sandboxFailureSchema = z.strictObject({
  reason_code: text(1, 255).optional(),
  message: z.string().optional().describe('Becomes `provider_error_message`'),
  retryable: z.boolean().optional(),
  times: z
    .int()
    .min(1)
    .optional()
    .describe('How often the step fails, counted over all attempts and retries. Default: always'),
})

const sandboxGradeSchema = z.strictObject({
  passes: z.boolean().optional().describe('Default: true'),
  scores: z
    .record(z.string(), z.union([z.number(), z.boolean()]))
    .optional()
    .describe('Decide instead of `passes`'),
  notes: z.string().optional(),
})

const sandboxToolCallSchema = z.strictObject({ name: text(1, 255), input: jsonObject.optional() })

export const sandboxStepSchema = z.strictObject({
  say: z.string().optional().describe('Text to stream'),
  output: z.unknown().optional().describe('Structured result; any JSON'),
  tokens: z.int().min(0).optional().describe('Total for the step, regardless of the number of turns'),
  delay_ms: milliseconds.optional(),
  chunk_ms: milliseconds.optional(),
  tools: z.array(sandboxToolCallSchema).max(100).optional(),
  // biome-ignore lint/suspicious/noThenProperty: a field of the sandbox script.
  then: z.enum(decisionTypes).optional().describe('What the judge decides after the step'),
  goal_reached: z.boolean().optional().describe('With `stop`: false fails the run with `goal_not_reached`'),
  await: awaitInputSchema.optional(),
  grades: z
    .array(sandboxGradeSchema)
    .max(maxRevisions + 1)
    .optional()
    .describe('What the judge says about the answers of the step, if it has a rubric. Default: they pass'),
  revisions: z.array(z.string()).max(maxRevisions).optional().describe('The revised answers. Default: `say`'),
  fail: sandboxFailureSchema.optional(),
})
export type SandboxStep = z.infer<typeof sandboxStepSchema>

export const sandboxScriptSchema = z
  .strictObject({ steps: z.array(sandboxStepSchema).max(1_000).optional() })
  .meta({ id: 'SandboxScript' })
export type SandboxScript = z.infer<typeof sandboxScriptSchema>
