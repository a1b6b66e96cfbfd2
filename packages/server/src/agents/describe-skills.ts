// The skills of a step as its model sees them: a line each in the system message, and what `load_skill` returns.
import { showName } from '@runwright/contract'
import type { SkillDefinition } from './definitions/skill.ts'
import { shorten } from './value-text.ts'

export const loadSkillName = 'load_skill'

/** Of all lines together. If they are longer, all descriptions are shown shorter. */
const maxListLength = 16_000
const maxListedPaths = 100

type Listed = Pick<SkillDefinition, 'name' | 'description'>

/** Empty if there are none. Not marked as data: the operator wrote the skills, and the model is to follow them. */
export function describeSkills(skills: readonly Listed[]): string {
  if (skills.length === 0) return ''
  const total = skills.reduce((sum, { name, description }) => sum + name.length + description.length, 0)
  const maxLength = total <= maxListLength ? maxListLength : Math.floor(maxListLength / skills.length)
  const lines = skills.map(({ name, description }) => `- ${name}: ${oneLine(shorten(description, maxLength))}`)
  return `The operator of this service has written skills: instructions for certain tasks. If one fits the step, load it with \`${loadSkillName}\` before you begin, and follow what it says.\n${lines.join('\n')}`
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')

interface Asked {
  readonly name: string
  readonly file?: string | undefined
}

/** The instructions and the names of the files, or the text of a file. Throws with what the model can ask for. */
export function loadSkill(skills: readonly SkillDefinition[], { name, file }: Asked) {
  const skill = skills.find((each) => each.name === name)
  if (!skill) throw new Error(`There is no skill ${showName(name)}. The skills are ${listed(skills.map(nameOf))}.`)
  const paths = skill.files.map(({ path }) => path)
  if (file === undefined) return { name, instructions: skill.instructions, files: paths }
  const found = skill.files.find(({ path }) => path === file)
  if (!found) throw new Error(`The skill ${name} has no file ${showName(file)}. Its files are ${listed(paths)}.`)
  if (found.text === undefined) throw new Error(`The file ${showName(file)} of the skill ${name} is not a text.`)
  return { name, file, text: found.text }
}

const nameOf = ({ name }: Listed): string => name

const listed = (names: readonly string[]): string => names.slice(0, maxListedPaths).join(', ') || 'none'
