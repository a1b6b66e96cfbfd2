// Loads the operator's agents: the Markdown files of a folder. Any error is a message that names the file and the
// field, because a run that names an agent must not begin without it.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { showName } from '@runwright/contract'
import { isSchemaProblem, readOutputSchema } from '../../domain/json/output-schema.ts'
import { describeSchemaProblem } from '../../domain/json/schema-to-compile.ts'
import type { KnownTools } from '../../domain/plan/plan.ts'
import { decodeFile, describeFileError } from '../../runtime/files/bounded-file.ts'
import { LinkLeadsOut, readInFolder } from '../../runtime/files/folder-file.ts'
import { describeCompileProblem } from '../../runtime/schemas/describe-schema-end.ts'
import type { SchemaThreads } from '../../runtime/schemas/schema-threads.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import { AgentSet } from './agent-set.ts'
import { type AgentDefinition, readDefinition } from './definition.ts'
import { splitFrontMatter } from './front-matter.ts'
import { loadSkillsFolder } from './load-skills.ts'
import type { SkillDefinition } from './skill.ts'

export interface LoadOptions {
  readonly knownTools: KnownTools
  /** Compiles output schemas. */
  readonly schemas: Pick<SchemaThreads, 'compile'>
  /** Opens the models of an agent. Left out in a process that executes no runs. Rejects with a `SettingsError`. */
  readonly openModels?: ((list: string) => Promise<unknown>) | undefined
}

const setting = 'RUNWRIGHT_AGENTS_DIR'
const maxBytes = 1024 * 1024
const agentFile = /^[^.].*\.md$/

/** The folders that the settings name. */
export interface AgentFolders {
  readonly agentsDir: string | undefined
  readonly skillsDir: string | undefined
}

/** Rejects with a `SettingsError`. */
export async function loadAgentSet({ agentsDir, skillsDir }: AgentFolders, options: LoadOptions): Promise<AgentSet> {
  const skills = skillsDir === undefined ? [] : await loadSkillsFolder(skillsDir)
  const agents = agentsDir === undefined ? [] : await loadAgentsFolder(agentsDir, { ...options, skills })
  return new AgentSet(agents, skills)
}

interface Known extends LoadOptions {
  readonly skills: readonly SkillDefinition[]
}

async function loadAgentsFolder(folder: string, options: Known): Promise<AgentDefinition[]> {
  const files = new Map<string, string>()
  const definitions: AgentDefinition[] = []
  for (const file of await listFiles(folder)) {
    const path = join(folder, file)
    const definition = readAgentFile(path, await readText(folder, file))
    const takenIn = files.get(definition.name)
    if (takenIn !== undefined) refuse(path, `the name ${showName(definition.name)} is already used in ${takenIn}`)
    await checkReferences(path, definition, options)
    await checkSchema(path, definition, options)
    files.set(definition.name, file)
    definitions.push(definition)
  }
  return definitions
}

async function listFiles(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => agentFile.test(name)).sort()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const problem = code === 'ENOENT' ? 'does not exist' : `is not a readable folder: ${code}`
    throw new SettingsError(`${setting}: ${folder} ${problem}.`)
  }
}

function readAgentFile(path: string, text: string): AgentDefinition {
  const parts = splitFrontMatter(text)
  if (typeof parts === 'string') return refuse(path, parts)
  const fileName = path.replace(/^.*[/\\]/, '').replace(/\.md$/, '')
  const definition = readDefinition({ fileName, ...parts })
  return typeof definition === 'string' ? refuse(path, definition) : definition
}

async function readText(folder: string, file: string): Promise<string> {
  try {
    return decodeFile(await readInFolder(folder, file, { maxBytes }))
  } catch (error) {
    const problem = error instanceof LinkLeadsOut ? error.message : `the file ${describeFileError(error)}`
    return refuse(join(folder, file), problem)
  }
}

/** What an agent names must exist: a tool that is missing would make the agent weaker without a word. */
async function checkReferences(path: string, { tools = [], skills = [], model }: AgentDefinition, options: Known) {
  const unknown = tools.find((tool) => !options.knownTools.has(tool))
  if (unknown !== undefined) refuse(path, `tools names an unknown tool: ${showName(unknown)}`)
  const missing = skills.find((name) => !options.skills.some((skill) => skill.name === name))
  if (missing !== undefined) refuse(path, `skills names an unknown skill: ${showName(missing)}`)
  if (model === undefined) return
  await options.openModels?.(model).catch((error: unknown) => {
    if (!(error instanceof SettingsError)) throw error
    refuse(path, `model cannot be used: ${error.message.replace(/\.$/, '')}`)
  })
}

async function checkSchema(path: string, { output_schema: given }: AgentDefinition, { schemas }: LoadOptions) {
  if (given === undefined) return
  const read = readOutputSchema(given)
  if (isSchemaProblem(read)) return refuse(path, describeSchemaProblem(['output_schema'], read))
  const outcome = await schemas.compile({ kind: 'output', schema: read.text }, { customerId: setting })
  if (outcome !== 'compiled') refuse(path, `output_schema cannot be used: ${describeCompileProblem(outcome)}`)
}

function refuse(path: string, problem: string): never {
  throw new SettingsError(`${setting}: in ${path}, ${problem}${problem.endsWith('?') ? '' : '.'}`)
}
