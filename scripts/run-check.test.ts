import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'

const module = new URL('./run-check.mjs', import.meta.url).href

/** A check that ignores signals, and has a child that does, too. */
const stubborn = `
process.on('SIGINT', () => {})
const child = require('node:child_process').spawn(process.execPath, ['-e', "process.on('SIGINT', () => {}); setInterval(() => {}, 1000); console.log('ready')"], { stdio: 'inherit' })
setInterval(() => {}, 1000)
`

const runner = (check: string) => `
import { runCheck } from ${JSON.stringify(module)}
const { code, isInterrupted } = await runCheck(['-e', ${JSON.stringify(check)}], { cwd: '.', graceMs: 100 })
console.log('ended ' + code + ' ' + isInterrupted)
`

const start = (check: string) =>
  spawn(process.execPath, ['--input-type=module', '-e', runner(check)], { stdio: ['ignore', 'pipe', 'inherit'] })

test('an interruption ends the check and what it has started, also if they ignore it', async () => {
  const child = start(stubborn)
  let printed = ''
  await new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      if (printed.includes('ready')) resolve()
    })
  })
  child.kill('SIGINT')
  // The pipe closes when the last process that has it has ended.
  await once(child, 'close')
  expect(printed).toContain('ended 130 true')
})

test('a check that ends by itself has its own exit code', async () => {
  const child = start('process.exit(3)')
  const chunks = await child.stdout.toArray()
  expect(chunks.join('')).toBe('ended 3 false\n')
})
