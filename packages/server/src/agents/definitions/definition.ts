// The definition of an agent as its file has it: the fields of the front matter, and the instructions below it.
import { type AgentRubric, describeIssue, judgeModes, showName } from '@runwright/contract'
import { z } from 'zod'
import { isRubricProblem, readRubric } from '../../domain/rubric/rubric.ts'
import { findNearestName } from '../../runtime/settings/nearest-name.ts'
import { modelName } from '../../runtime/settings/parsers.ts'

const frontMatterSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/),
  description: z.string().trim().min(1).max(1_000),
  model: z.string().optional(),
  tools: z.array(z.string()).optional(),
  skills: z.array(z.string()).optional(),
  output_schema: z.record(z.string(), z.unknown()).optional(),
  max_turns: z.int().min(1).max(1_000).optional(),
  temperature: z.number().min(0).max(2).optional(),
  reasoning_effort: z
    .string()
    .regex(/^[a-z]{1,32}$/)
    .optional(),
  judge: z.enum(judgeModes).optional(),
  /** Checked by `readRubric`. */
  rubric: z.unknown().optional(),
})

/** Also the form in which agent sets are stored and hashed. */
export type AgentDefinition = Omit<FrontMatter, 'rubric'> & {
  readonly rubric?: AgentRubric
  readonly instructions: string
}

type FrontMatter = z.infer<typeof frontMatterSchema>

export interface AgentFile {
  /** The name of the agent if the front matter has none: the file name without `.md`. */
  readonly fileName: string
  readonly frontMatter: unknown
  readonly body: string
}

/**
 * The definition, or what is wrong with the file: a clause that names the field, without a full stop. The output schema
 * is checked later, because it is compiled on another thread.
 */
export function readDefinition({ fileName, frontMatter, body }: AgentFile): AgentDefinition | string {
  if (typeof frontMatter !== 'object' || frontMatter === null || Array.isArray(frontMatter))
    return 'the front matter must be a list of fields, such as "description: Sorts support tickets"'
  const value = { name: fileName, ...frontMatter }
  const unknown = Object.keys(value).find((field) => !fields.includes(field))
  if (unknown !== undefined) return describeUnknown(unknown)
  const read = frontMatterSchema.safeParse(value)
  if (!read.success) return describeIssue({ error: read.error, value })
  const problem = findModelProblem(read.data) ?? findRubricProblem(read.data)
  if (problem !== undefined) return problem
  const instructions = body.trim()
  if (instructions === '') return 'the instructions are missing: write them below the front matter'
  const { rubric, ...others } = read.data
  return {
    ...others,
    ...(others.tools && { tools: [...new Set(others.tools)] }),
    ...(rubric !== undefined && { rubric: wholeRubric(rubric) }),
    instructions,
  }
}

const fields: readonly string[] = Object.keys(frontMatterSchema.shape)

function describeUnknown(field: string): string {
  const nearest = findNearestName(field, fields)
  const advice = nearest === undefined ? `the fields are ${fields.join(', ')}` : `did you mean ${nearest}?`
  return `${showName(field)} is not a known field: ${advice}`
}

function findRubricProblem({ rubric }: FrontMatter): string | undefined {
  const read = rubric === undefined ? undefined : readRubric(rubric, { at: ['rubric'], of: 'agent' })
  return read && isRubricProblem(read) ? read.problem : undefined
}

/** A text is the criteria. */
const wholeRubric = (given: unknown): AgentRubric =>
  typeof given === 'string' ? { criteria: given } : (given as AgentRubric)

function findModelProblem({ model }: FrontMatter): string | undefined {
  const parsed = model === undefined ? undefined : modelName(model)
  return parsed?.ok === false ? `model must be ${parsed.wants}` : undefined
}
