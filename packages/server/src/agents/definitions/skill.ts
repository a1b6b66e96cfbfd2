// A skill: instructions for a kind of task, with files, that a model loads when it needs them. It has the open format
// of Agent Skills: a folder with a file `SKILL.md`.
import { describeIssue, showName } from '@runwright/contract'
import { z } from 'zod'

/** The fields of the format. Others are ignored: other programs have their own. */
const frontMatterSchema = z.object({
  name: z
    .string()
    .max(64)
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
  description: z.string().trim().min(1).max(1_024),
  license: z.string().optional(),
  compatibility: z.string().max(500).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  'allowed-tools': z.union([z.string(), z.array(z.string())]).optional(),
})

export type SkillFile =
  | { readonly path: string; readonly text: string }
  /** It is not UTF-8. Models are told its name only. */
  | { readonly path: string; readonly text?: undefined }

/** Also the form in which skills are stored and hashed. */
export interface SkillDefinition {
  readonly name: string
  readonly description: string
  readonly instructions: string
  /** Ordered by path, without `SKILL.md`. */
  readonly files: readonly SkillFile[]
}

export interface SkillText {
  /** The name of the folder. */
  readonly folderName: string
  readonly frontMatter: unknown
  readonly body: string
}

/** The definition without its files, or what is wrong: a clause that names the field, without a full stop. */
export function readSkill({ folderName, frontMatter, body }: SkillText): Omit<SkillDefinition, 'files'> | string {
  if (typeof frontMatter !== 'object' || frontMatter === null || Array.isArray(frontMatter))
    return 'the front matter must be a list of fields, such as "description: Writes release notes"'
  const read = frontMatterSchema.safeParse(frontMatter)
  if (!read.success) return describeIssue({ error: read.error, value: frontMatter })
  const { name, description } = read.data
  if (name !== folderName) return `name must be that of the folder, ${showName(folderName)}, and is ${showName(name)}`
  const instructions = body.trim()
  if (instructions === '') return 'the instructions are missing: write them below the front matter'
  return { name, description, instructions }
}
