// A rubric: what the judge grades an answer against, and how often the worker may revise it.
import { z } from 'zod'
import { maxRevisions, maxRubricLength, maxScoreDescriptionLength, maxScores } from '../vocabulary/limits.ts'
import { published, text } from './wire.ts'

const scoreSchema = z.strictObject({
  type: z.enum(['integer', 'number', 'boolean']),
  title: text(1, maxScoreDescriptionLength).optional(),
  description: text(1, maxScoreDescriptionLength).optional().describe('What the score is about; the judge reads it'),
  minimum: z.number().optional().describe('The lowest score. Required unless the score is a boolean'),
  maximum: z.number().optional().describe('The highest score. Required unless the score is a boolean'),
})

const hasFewMembers = (record: object): boolean => {
  const count = Object.keys(record).length
  return count >= 1 && count <= maxScores
}

const scoresShape = z.strictObject({
  $schema: text(1, maxScoreDescriptionLength).optional(),
  type: z.literal('object').optional(),
  title: text(1, maxScoreDescriptionLength).optional(),
  description: text(1, maxScoreDescriptionLength).optional(),
  properties: z
    .record(z.string(), scoreSchema)
    .refine(hasFewMembers, { error: `must have 1 to ${maxScores} scores` })
    .describe('The scores by name: a letter, then up to 63 letters, digits and `_`'),
  required: z.array(z.string()).max(maxScores).optional().describe('All scores are required, also if left out'),
  additionalProperties: z.literal(false).optional(),
})

/** Published as any JSON Schema: generators make no use of a schema of schemas. */
const scoresSchema = published(scoresShape, { type: 'object', additionalProperties: {} })

const fields = {
  criteria: text(1, maxRubricLength).optional().describe('What a good answer is, in words. Excludes `scores`'),
  scores: scoresSchema.optional().describe('A JSON Schema of the scores that the judge gives. Excludes `criteria`'),
  pass: z
    .record(z.string(), z.number())
    .optional()
    .describe('The lowest score that passes, for each score that is a number. A boolean passes if it is true'),
  max_revisions: z
    .int()
    .min(0)
    .max(maxRevisions)
    .optional()
    .describe('How often the worker may revise an answer that does not pass. Default: 2'),
}

/** Of an agent. */
export const agentRubricSchema = z.strictObject(fields)
export type AgentRubric = z.infer<typeof agentRubricSchema>

/** Of a run. */
export const rubricSchema = z
  .strictObject({
    ...fields,
    include_grade: z
      .boolean()
      .optional()
      .describe('Makes the `output` of the result `{ answer, grade }`. Default: false'),
  })
  .meta({ id: 'Rubric' })
export type Rubric = z.infer<typeof rubricSchema>
