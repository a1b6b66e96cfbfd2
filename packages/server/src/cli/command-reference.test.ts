import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findPart } from '../../../../scripts/docs-tables.mjs'
import { renderReference } from './command-reference.ts'
import { createProgram } from './program.ts'

test('docs/cli.md has the help of every command', async () => {
  const docs = readFileSync(new URL('../../../../docs/cli.md', import.meta.url), 'utf8')
  const reference = renderReference(await createProgram(process, () => true))
  expect(findPart(docs, 'commands'), 'run `node scripts/write-docs.mjs` to write it again').toBe(reference)
})

test('every command says what it does, and every command of a service has an example', async () => {
  const program = await createProgram(process, () => true)
  expect(program.commands.filter((command) => !command.description() || !command.summary())).toEqual([])
  const remote = program.commands.filter((command) => command.options.some(({ long }) => long === '--url'))
  expect(remote.length).toBeGreaterThan(10)
  const reference = renderReference(program)
  const helpOf = (name: string) => reference.split(`### runwright ${name}\n`)[1]?.split('###')[0]
  expect(remote.map((command) => command.name()).filter((name) => !helpOf(name)?.includes('Examples:'))).toEqual([])
})
