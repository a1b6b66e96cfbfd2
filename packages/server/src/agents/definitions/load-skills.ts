// Loads the operator's skills: the folders of a folder. Any error is a message that names the file, because a model
// must not work without instructions that the operator has written for it. Nothing is executed.
import { type Dirent, readdirSync } from 'node:fs'
import { readdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { decodeFile, describeFileError } from '../../runtime/files/bounded-file.ts'
import { LinkLeadsOut, readInFolder } from '../../runtime/files/folder-file.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import { splitFrontMatter } from './front-matter.ts'
import { readSkill, type SkillDefinition, type SkillFile } from './skill.ts'

const setting = 'RUNWRIGHT_SKILLS_DIR'
const mainFile = 'SKILL.md'
const maxSkills = 100
const maxFiles = 100
const maxFileBytes = 256 * 1024
/** Of all skills together. They are stored for the runs that begin with them. */
const maxBytes = 4 * 1024 * 1024
const maxDepth = 8

/** Rejects with a `SettingsError`. */
export async function loadSkillsFolder(folder: string): Promise<readonly SkillDefinition[]> {
  const names = await listSkills(folder)
  if (names.length > maxSkills) throw refusal(folder, `there are more than ${maxSkills} skills`)
  const size = new SkillsSize(folder)
  const skills: SkillDefinition[] = []
  for (const name of names) skills.push(await loadSkill(folder, name, size))
  size.check(Buffer.byteLength(JSON.stringify(skills)))
  return skills
}

/** Checked after each file: a folder with many large ones is not read to its end. */
class SkillsSize {
  readonly #folder: string
  #bytes = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  add(bytes: number): void {
    this.#bytes += bytes
    this.check(this.#bytes)
  }

  check(bytes: number): void {
    if (bytes <= maxBytes) return
    throw refusal(this.#folder, `the skills have more than ${maxBytes.toLocaleString('en')} bytes together`)
  }
}

async function listSkills(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    const isFolder = (entry: Dirent) => entry.isDirectory() || entry.isSymbolicLink()
    return entries
      .filter((entry) => isFolder(entry) && isShown(entry.name))
      .map(({ name }) => name)
      .sort()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const problem = code === 'ENOENT' ? 'does not exist' : `is not a readable folder: ${code}`
    throw new SettingsError(`${setting}: ${folder} ${problem}.`)
  }
}

/** Hidden files are those of editors and version control. */
const isShown = (name: string): boolean => !name.startsWith('.')

async function loadSkill(root: string, name: string, size: SkillsSize): Promise<SkillDefinition> {
  const folder = join(root, name)
  if (!(await isInside(root, folder))) throw refusal(folder, 'the folder is a link that leads out; copy it instead')
  const parts = splitFrontMatter(await readText(folder, mainFile))
  const path = join(folder, mainFile)
  if (typeof parts === 'string') throw refusal(path, parts)
  const skill = readSkill({ folderName: name, ...parts })
  if (typeof skill === 'string') throw refusal(path, skill)
  return { ...skill, files: await readFiles(folder, size) }
}

async function isInside(root: string, folder: string): Promise<boolean> {
  const [outer, inner] = await Promise.all([realpath(root), realpath(folder)])
  return inner.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`)
}

async function readFiles(folder: string, size: SkillsSize): Promise<SkillFile[]> {
  const paths: string[] = []
  for (const path of listFiles(folder)) {
    if (path !== mainFile) paths.push(path)
    if (paths.length > maxFiles) throw refusal(folder, `the skill has more than ${maxFiles} files`)
  }
  const files: SkillFile[] = []
  for (const path of paths.toSorted()) {
    const file = await readFile(folder, path)
    size.add(Buffer.byteLength(file.text ?? ''))
    files.push(file)
  }
  return files
}

/** With `/` on every system, so that a skill has the same hash everywhere. */
function* listFiles(folder: string, below = '', depth = 1): Generator<string, void> {
  if (depth > maxDepth) throw refusal(join(folder, below), `folders are nested more than ${maxDepth} levels deep`)
  const entries = readdirSync(join(folder, below), { withFileTypes: true }).filter(({ name }) => isShown(name))
  for (const entry of entries) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory()) yield* listFiles(folder, path, depth + 1)
    else yield path
  }
}

async function readFile(folder: string, path: string): Promise<SkillFile> {
  const bytes = await readBytes(folder, path)
  try {
    const text = decodeFile(bytes)
    // PostgreSQL cannot store it, and no text has it.
    return text.includes('\0') ? { path } : { path, text }
  } catch {
    return { path }
  }
}

async function readText(folder: string, path: string): Promise<string> {
  const bytes = await readBytes(folder, path)
  try {
    return decodeFile(bytes)
  } catch (error) {
    throw refusal(join(folder, path), `the file ${describeFileError(error)}`)
  }
}

async function readBytes(folder: string, path: string): Promise<Buffer> {
  try {
    return await readInFolder(folder, path, { maxBytes: maxFileBytes })
  } catch (error) {
    const isMissing = path === mainFile && (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (isMissing) throw refusal(folder, `the file ${mainFile} is missing`)
    throw refusal(
      join(folder, path),
      error instanceof LinkLeadsOut ? error.message : `the file ${describeFileError(error)}`,
    )
  }
}

const refusal = (path: string, problem: string): SettingsError =>
  new SettingsError(`${setting}: in ${path}, ${problem}.`)
