import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { courses } from '@runwright/contract'
import { expect, test } from 'vitest'
import { findPart } from '../../../../scripts/docs-tables.mjs'
import { renderReference } from './command-reference.ts'
import { commandGroups } from './command-table.ts'
import { createProgram } from './program.ts'
import { exampleNames } from './remote/run.ts'

test('docs/cli.md has the help of every command', async () => {
  const docs = readFileSync(new URL('../../../../docs/cli.md', import.meta.url), 'utf8')
  const reference = renderReference(await createProgram(process, commandGroups))
  expect(findPart(docs, 'commands'), 'run `node scripts/write-docs.mjs` to write it again').toBe(reference)
})

test('the examples of run are those of the contract', () => {
  expect(exampleNames).toEqual(courses.map(({ name }) => name))
})

const exitOf = (...args: string[]) => {
  const { status, stderr } = spawnSync(process.execPath, [bin, ...args], { encoding: 'utf8' })
  return { status, stderr: stderr.split('\n')[0] }
}
const bin = fileURLToPath(new URL('../../bin/runwright.mjs', import.meta.url))

test.each([
  [['help', 'bogus'], "error: unknown command 'bogus'"],
  [['help', 'schedules', 'bogus'], "error: unknown command 'bogus'"],
  [['schedules', 'help', 'bogus'], "error: unknown command 'bogus'"],
  [['bogus'], "error: unknown command 'bogus'"],
  [['schedules'], 'Usage: runwright schedules [options] [command]'],
  [['webhooks'], 'Usage: runwright webhooks [options] [command]'],
  [['audit'], 'Usage: runwright audit [options] [command]'],
])('%j is a wrong use, and says what is wrong', (args, firstLine) => {
  expect(exitOf(...args)).toEqual({ status: 2, stderr: firstLine })
})

test('help of a command, and of a command in a group, is no error', () => {
  for (const args of [['help'], ['help', 'run'], ['help', 'schedules', 'create'], ['schedules', 'help', 'create']])
    expect(exitOf(...args)).toEqual({ status: 0, stderr: '' })
})

test('every command says what it does, and every command of a service has an example', async () => {
  const program = await createProgram(process, commandGroups)
  expect(program.commands.filter((command) => !command.description() || !command.summary())).toEqual([])
  const remote = program.commands.filter((command) => command.options.some(({ long }) => long === '--url'))
  expect(remote.length).toBeGreaterThan(10)
  const reference = renderReference(program)
  const helpOf = (name: string) => reference.split(`### runwright ${name}\n`)[1]?.split('###')[0]
  expect(remote.map((command) => command.name()).filter((name) => !helpOf(name)?.includes('Examples:'))).toEqual([])
})
