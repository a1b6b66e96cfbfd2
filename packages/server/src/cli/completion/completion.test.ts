import { execFileSync, spawnSync } from 'node:child_process'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { commandGroups } from '../command-table.ts'
import { createProgram } from '../program.ts'
import { bashCompletion } from './bash.ts'
import { completionTree } from './tree.ts'
import { zshCompletion } from './zsh.ts'

const tree = completionTree(await createProgram(process, commandGroups))

/** What bash offers at the end of the line. */
function offers(...words: string[]): string[] {
  const script = `${bashCompletion(tree)}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length - 1}
_runwright
printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n')
}

test('bash completes commands, options, answers and values', () => {
  expect(offers('runwright', 'wa')).toEqual(['watch'])
  expect(offers('runwright', 'keys', 'ro')).toEqual(['rotate'])
  expect(offers('runwright', 'run', '--idem')).toEqual(['--idempotency-key'])
  expect(offers('runwright', 'run', '--class', '')).toEqual(['default', 'short', 'long'])
  expect(offers('runwright', 'signal', 'run_1', 're')).toEqual(['reject'])
  expect(offers('runwright', 'run', '--example', 'ap')).toEqual(['approval'])
  expect(offers('runwright', 'usage', 'ver')).toEqual(['verify'])
})

test.each([
  ['bash', bashCompletion],
  ['zsh', zshCompletion],
])('the script for %s parses', (shell, render) => {
  const parsed = spawnSync(shell, ['-n'], { input: render(tree), encoding: 'utf8' })
  // zsh is not on every machine. bash can read that script far enough to find open quotes.
  const checked = parsed.error ? spawnSync('bash', ['-n'], { input: render(tree), encoding: 'utf8' }) : parsed
  expect([checked.status, checked.stderr]).toEqual([0, ''])
})

test('quotes and colons of a description do not break the script for zsh', () => {
  const command = new Command('runwright').option('--x', "it's: 50 % `id` $(id)")
  expect(zshCompletion(completionTree(command))).toContain(`'--x:it'\\''s: 50 % \`id\` $(id)'`)
})
