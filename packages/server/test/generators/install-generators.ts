// Installs the generators of `package.json` beside this file, apart from the packages of the project, and keeps them in
// the cache folder: they are large, and only this test needs them.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../../../..')
const usualCache = join(root, 'node_modules/.cache/runwright')
const manifests = ['package.json', 'package-lock.json']

const run = promisify(execFile)

interface InstallOptions {
  /** Where they are kept. */
  readonly cache?: string
  /** Arguments of npm. */
  readonly args?: readonly string[]
}

/** The folder that has the generators in its `node_modules`. */
export async function installGenerators({ cache = usualCache, args = [] }: InstallOptions = {}): Promise<string> {
  await mkdir(cache, { recursive: true })
  const folder = join(cache, `generators-${await fingerprint()}`)
  if (!existsSync(folder)) await install(folder, args)
  return folder
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${process.version}`)
  for (const name of manifests) hash.update(await readFile(join(import.meta.dirname, name)))
  return hash.digest('hex').slice(0, 16)
}

/** In a folder of its own that gets its name at the end, so that an interrupted installation does not count. */
async function install(folder: string, args: readonly string[]): Promise<void> {
  const unfinished = await mkdtemp(`${folder}-`)
  try {
    for (const name of manifests) await copyFile(join(import.meta.dirname, name), join(unfinished, name))
    await copyFile(join(root, '.npmrc'), join(unfinished, '.npmrc'))
    await run('npm', ['ci', '--prefer-offline', '--loglevel=error', ...args], { cwd: unfinished })
    await rename(unfinished, folder)
  } catch (cause) {
    await rm(unfinished, { recursive: true, force: true })
    // Another process was faster.
    if (!existsSync(folder)) throw notInstalled(cause)
  }
}

function notInstalled(cause: unknown): Error {
  const said = String((cause as { stderr?: string }).stderr ?? cause)
  return new Error(
    `The generators could not be installed, so nothing was tested. This test needs the npm registry. npm said:\n${said}`,
    { cause },
  )
}
