// With the real npm: a signal for it, its shell or the program, or for all of them as from a terminal, ends everything.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'

const moduleOf = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)

const script = `
import { runCheck, wasInterrupted } from ${moduleOf('./run-check.mjs')}
import { stopWithShell } from ${moduleOf('./stop-with-shell.mjs')}
stopWithShell('SIGINT', wasInterrupted)
const check = "process.on('SIGINT', () => {}); console.log('ready ' + process.pid); setInterval(() => {}, 1000)"
console.log('shell ' + process.ppid + ' program ' + process.pid)
const { code, isInterrupted } = await runCheck(['-e', check], { cwd: '.', graceMs: 100 })
console.log('ended ' + code + ' ' + isInterrupted)
process.exitCode = code
`

let folder: string
let pids: number[] = []
afterEach(() => {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended, as it should.
    }
  }
  rmSync(folder, { recursive: true })
})

test.each([
  ['SIGTERM', 'npm'],
  ['SIGTERM', 'its shell'],
  ['SIGINT', 'the group'],
  ['SIGINT', 'the program'],
] as const)('%s for %s ends the check', async (signal, receiver) => {
  folder = mkdtempSync(join(tmpdir(), 'runwright-npm-'))
  // An operand after it keeps every shell from replacing itself by the program.
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { test: 'node check.mjs; exit $?' } }))
  writeFileSync(join(folder, 'check.mjs'), script)
  const npm = spawn('npm', ['test', '--silent'], { cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  let printed = ''
  const ready = new Promise<void>((resolve) => {
    npm.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      if (/ready \d+/.test(printed)) resolve()
    })
  })
  await ready
  const [shell = 0, program = 0, check = 0] = (printed.match(/\d+/g) ?? []).map(Number)
  pids = [npm.pid as number, shell, program, check]
  const group = -(npm.pid as number)
  process.kill(
    { npm: npm.pid as number, 'its shell': shell, 'the group': group, 'the program': program }[receiver],
    signal,
  )
  // The pipe closes when the last process that has it has ended.
  await once(npm.stdout, 'close')
  expect(printed).toContain('ended 130 true')
  expect(() => process.kill(check, 0)).toThrow('ESRCH')
})
