// Loads the operator's own tools: the modules of a folder, in the order of their names. Any error stops the start with
// a message that names the file, because a plan could name a tool that did not load.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { builtInTools, describeIssue, runTools, showName } from '@runwright/contract'
import { LinkLeadsOut, pathInFolder } from '../../runtime/files/folder-file.ts'
import type { SchemaThreads } from '../../runtime/schemas/schema-threads.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import type { Tool } from '../port/tool.ts'
import { definitionSchema, type OwnTool, type ToolDefinition, toTool } from './definition.ts'

const moduleName = /^[^.].*\.m?js$/

/** Empty when `folder` is undefined. Throws a `SettingsError`. `schemas` checks the input of calls, too. */
export async function loadToolsFolder(folder: string | undefined, schemas: Schemas): Promise<readonly OwnTool[]> {
  if (folder === undefined) return []
  const files = new Map<string, string>()
  const tools: OwnTool[] = []
  for (const file of await listModules(folder)) {
    const refuse: Refuse = (problem) => refuseFile(join(folder, file), problem)
    await pathInFolder(folder, file).catch((error) => refuseUnreadable(error, refuse))
    for (const tool of await loadModule(join(folder, file), { schemas, refuse })) {
      refuseTakenName(tool.name, files.get(tool.name), refuse)
      files.set(tool.name, file)
      tools.push({ ...tool, file })
    }
  }
  return tools
}

type Refuse = (problem: string) => never
type Schemas = Pick<SchemaThreads, 'compile' | 'check'>

interface Loading {
  readonly schemas: Schemas
  readonly refuse: Refuse
}

function refuseFile(path: string, problem: string): never {
  throw new SettingsError(`RUNWRIGHT_TOOLS_DIR: in ${path}, ${problem}.`)
}

async function listModules(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => moduleName.test(name)).sort()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const problem = code === 'ENOENT' ? 'does not exist' : `is not a readable folder: ${code}`
    throw new SettingsError(`RUNWRIGHT_TOOLS_DIR: ${folder} ${problem}.`)
  }
}

const refuseUnreadable = (error: NodeJS.ErrnoException, refuse: Refuse): never =>
  refuse(error instanceof LinkLeadsOut ? error.message : `the file cannot be read: ${error.code}`)

async function loadModule(path: string, { schemas, refuse }: Loading): Promise<readonly Tool[]> {
  const { default: exported } = await importModule(path, refuse)
  if (exported === undefined) return refuse('the default export is missing: export a tool or an array of tools')
  const definitions: readonly unknown[] = Array.isArray(exported) ? exported : [exported]
  const tools: Tool[] = []
  for (const [index, definition] of definitions.entries()) {
    const at = Array.isArray(exported) ? ['default', index] : ['default']
    tools.push(await readDefinition(definition, { at, schemas, refuse }))
  }
  return tools
}

async function importModule(path: string, refuse: Refuse): Promise<{ readonly default?: unknown }> {
  try {
    return await import(/* @vite-ignore */ pathToFileURL(path).href)
  } catch (error) {
    return refuse(`the module does not load: ${firstLine(error)}`)
  }
}

interface ReadOptions extends Loading {
  readonly at: readonly (string | number)[]
}

async function readDefinition(definition: unknown, { at, schemas, refuse }: ReadOptions): Promise<Tool> {
  const checked = definitionSchema.safeParse(definition)
  if (!checked.success) return refuse(describeIssue({ error: checked.error, value: definition, at }))
  try {
    return await toTool(definition as ToolDefinition, schemas)
  } catch (error) {
    return refuse(`the input schema of ${showName(checked.data.name)} is invalid: ${firstLine(error)}`)
  }
}

function refuseTakenName(name: string, takenIn: string | undefined, refuse: Refuse): void {
  if (([...builtInTools, ...runTools] as readonly string[]).includes(name))
    refuse(`the name ${showName(name)} belongs to a built-in tool; choose another one`)
  if (takenIn !== undefined) refuse(`the name ${showName(name)} is already used in ${takenIn}; choose another one`)
}

/** Without a full stop at the end, so that it fits into a sentence. */
const firstLine = (error: unknown): string =>
  String(error instanceof Error ? error.message : error)
    .split('\n')[0]
    ?.replace(/\.$/, '') ?? ''
