// The operator's agents on the wire, without their instructions: those are in the turns of runs that used them.
import { z } from 'zod'
import { judgeModes } from '../vocabulary/vocabulary.ts'
import { openEnum, requestId } from './wire.ts'

export const agentSchema = z
  .object({
    name: z.string().describe('The value for `metadata.agent` of a run and for `agent` of a plan step'),
    description: z.string(),
    hash: z
      .string()
      .describe('SHA-256 of the definition, in hex. It changes when any field or the instructions change'),
    model: z.string().nullable().describe('Null: the model of the worker'),
    tools: z.array(z.string()).nullable().describe('Null: all tools that policy allows'),
    skills: z.array(z.string()).nullable().describe('Null: all skills'),
    judge: openEnum(judgeModes).describe('When a model judges the steps of the agent'),
    max_turns: z.int().nullable().describe('Null: the limit of the service'),
    output_schema: z.record(z.string(), z.unknown()).nullable().describe('JSON Schema of the result'),
    rubric: z.record(z.string(), z.unknown()).nullable().describe('What the answers of its steps are graded against'),
  })
  .meta({ id: 'Agent' })
export type Agent = z.infer<typeof agentSchema>

export const skillSchema = z
  .object({
    name: z.string(),
    description: z.string(),
    hash: z.string().describe('SHA-256 of the skill with its files, in hex'),
    files: z.array(z.string()).describe('The paths of its files, without `SKILL.md`'),
  })
  .meta({ id: 'Skill' })
export type Skill = z.infer<typeof skillSchema>

export const agentListSchema = z
  .object({ agents: z.array(agentSchema), skills: z.array(skillSchema), request_id: requestId })
  .meta({ id: 'AgentList' })
export type AgentList = z.infer<typeof agentListSchema>
