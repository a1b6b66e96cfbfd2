// The tool `load_skill`: reads the instructions and the files of a skill that the operator has written.
import { z } from 'zod'
import type { SkillDefinition } from '../../agents/definitions/skill.ts'
import { loadSkill, loadSkillName } from '../../agents/describe-skills.ts'
import type { Tool } from '../../tools/port/tool.ts'

const input = z.strictObject({ name: z.string(), file: z.string().optional() })

/** `skillsOf` are those of the step of a call. */
export const loadSkillTool = (
  skillsOf: (callId: string) => readonly SkillDefinition[],
): Tool<z.infer<typeof input>> => ({
  name: loadSkillName,
  description: 'Loads the instructions of a skill and the names of its files. With `file`, the text of that file.',
  input,
  effectOf: () => 'read',
  timeoutSeconds: 10,
  run: async (asked, { toolCallId }) => loadSkill(skillsOf(toolCallId), asked),
})
