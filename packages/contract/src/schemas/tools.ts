// The tools that runs can call, on the wire: where they come from, what they do, and what policy says about them.
import { z } from 'zod'
import { policyRules, toolEffects, toolSources } from '../vocabulary/vocabulary.ts'
import { openEnum, requestId } from './wire.ts'

export const toolPolicySchema = z
  .object({
    rule: openEnum(policyRules).describe(
      '`allow`: a call is made; `ask`: it is made after approval; `deny`: it is not made. A run can be stricter',
    ),
    description: z.string().describe('The rule and its conditions, in words'),
  })
  .meta({ id: 'ToolPolicy' })
export type ToolPolicy = z.infer<typeof toolPolicySchema>

export const toolExposureSchema = z
  .object({
    reads_private: z.boolean().describe('A call returns data that is not public'),
    takes_untrusted: z.boolean().describe('A call returns text that third parties can write'),
    sends_out: z.boolean().describe('A call can pass data to third parties'),
  })
  .meta({ id: 'ToolExposure' })
export type ToolExposure = z.infer<typeof toolExposureSchema>

export const toolSchema = z
  .object({
    name: z.string().describe('The value for `tool` and `tools` of a plan step'),
    description: z.string().describe('What models read. Text of an MCP server is not trusted'),
    source: openEnum(toolSources),
    file: z.string().nullable().describe('For `own`: the module that defines the tool'),
    server: z.string().nullable().describe('For `mcp`: the name of the MCP server'),
    input_schema: z.record(z.string(), z.unknown()).describe('JSON Schema of the arguments'),
    effect: openEnum(toolEffects)
      .nullable()
      .describe(
        'What a call changes. `read`: nothing; `idempotent`: a repeated call has no further effect; `once`: a call must not be repeated. Null: it depends on the arguments',
      ),
    exposure: toolExposureSchema.nullable().describe('What a call touches. Null: it depends on the arguments'),
    policy: toolPolicySchema,
  })
  .meta({ id: 'Tool' })
export type Tool = z.infer<typeof toolSchema>

export const toolListSchema = z.object({ tools: z.array(toolSchema), request_id: requestId }).meta({ id: 'ToolList' })
export type ToolList = z.infer<typeof toolListSchema>
