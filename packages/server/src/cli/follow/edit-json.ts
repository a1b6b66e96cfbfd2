// Lets a person edit JSON in their own editor: VISUAL, else EDITOR, else vi. The text is in a file that only they can
// read, and that is removed afterwards.
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Io } from '../output/io.ts'

type Edited = { readonly value: unknown } | { readonly problem: string }

export async function editJson({ env }: Pick<Io, 'env'>, value: unknown): Promise<Edited> {
  const folder = await mkdtemp(join(tmpdir(), 'runwright-edit-'))
  const file = join(folder, 'arguments.json')
  try {
    await writeFile(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
    const editor = env.VISUAL || env.EDITOR || 'vi'
    const problem = await runEditor(editor, file, env)
    return problem === undefined ? readJson(await readFile(file, 'utf8')) : { problem }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Through the shell, because the setting may have options, such as `code --wait`. Undefined: it ended well. */
function runEditor(editor: string, file: string, env: Io['env']): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', env: { ...env } })
    child.once('error', (error) => resolve(`The editor ${editor} could not be started: ${error.message}.`))
    child.once('exit', (code) => resolve(code === 0 ? undefined : `The editor ${editor} ended with code ${code}.`))
  })
}

function readJson(text: string): Edited {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : error}` }
  }
}
