// Checks the types of a few lines of code. Where they use `client`, the page has installed the package of the client.
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const compiler = join(import.meta.dirname, '../../../../node_modules/.bin/tsc')
const options = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', '--lib', 'es2023,dom']

export function compileExcerpt(folder: string, text: string): void {
  const file = join(folder, 'excerpt.mts')
  const before = /\bclient\b/.test(text) ? "declare const client: import('@runwright/client').Runwright\n" : ''
  writeFileSync(file, `${before}export async function excerpt(): Promise<void> {\n${text}}\n`)
  const { status, stdout } = spawnSync(compiler, [...options, file], { cwd: folder, encoding: 'utf8' })
  rmSync(file)
  if (status !== 0) throw new Error(stdout)
}
