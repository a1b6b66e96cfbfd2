// `runwright run` and `watch` as programs use them: in pipes, with exit codes and Ctrl-C.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandLine } from '../../src/cli/output/command-line.ts'
import { CliProcess, cli, environmentOf } from '../support/cli.ts'
import { thenStep } from '../support/engine.ts'
import { Caller } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let env: Record<string, string>
let caller: Caller
beforeAll(async () => {
  service = await startService({ RUNWRIGHT_TOKEN_CEILING_SHORT: '1000' }, { worker: true })
  env = environmentOf(service)
  caller = new Caller(service.url, service.key)
})
afterAll(() => service.stop())

const timeout = 60_000
const runId = /run_[0-9a-z]{26}/
const scripted = (...steps: object[]) => JSON.stringify({ sandbox: { steps } })
const waiting = scripted(
  thenStep('await_input', { say: 'Ready.', await: { input_kind: 'approval', prompt: 'Go on?' } }),
  {},
)
/** Runs the command that it prints for an approval. */
async function answerWith(watching: CliProcess) {
  const [, command = ''] = await watching.says(/npm run -s (runwright -- signal run_\S+ approve --await-seq \d+)\n/)
  return cli(command.split(' ').slice(2), env)
}
const run = (input: string, ...args: string[]) => cli(['run', '--input', '-', ...args], env, input)

describe('in a pipe', { timeout }, () => {
  test('stdout has only the result, stderr what happens, without colours', async () => {
    const tools = [{ name: 'calculator', input: { expression: '6 * 7' } }]
    const { code, stdout, stderr } = await run(scripted({ say: 'The answer is 42.', tools }))
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'The answer is 42.\n' })
    expect(stderr).toMatch(/│ ← calculator \{"expression":"6 \* 7"\} = \{"result":42\}/)
    expect(stderr).toMatch(/│ The answer is 42\.\n/)
    expect(stderr).toMatch(/\n✓ Succeeded in .*1 tool call\.\n$/)
    expect(stderr).not.toContain('\u001b')
  })

  test('a structured output is printed as JSON', async () => {
    const { stdout } = await run(scripted({ say: 'Done.', output: { total: 12 } }))
    expect(JSON.parse(stdout)).toEqual({ total: 12 })
  })

  test('--json prints the run as one document', async () => {
    const { code, stdout } = await run(scripted({ say: 'Done.', tokens: 7 }), '--json', '--workspace', 'w1')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'succeeded', workspace_id: 'w1', usage: { tokens: 7 } })
  })

  test('a wait is not asked, but the printed command answers it', async () => {
    const watching = new CliProcess(['run', '--input', '-'], env, waiting)
    expect(await answerWith(watching)).toMatchObject({ code: 0, stdout: 'Approved.\n' })
    const { code, stderr } = await watching.finished
    expect(code).toBe(0)
    expect(stderr).toMatch(/│ Go on\?\n[\s\S]*✓ Approved by bootstrap \(key_acme\)\./)
  })

  const planFile = (steps: readonly object[]): string => {
    const file = join(tmpdir(), `plan-${process.pid}.json`)
    writeFileSync(file, JSON.stringify({ steps }))
    return file
  }
  const letter = [
    { id: 'draft', instruction: 'Write it' },
    { id: 'gate', await_input: { prompt: 'Send it?' } },
    { id: 'send', instruction: 'Send it' },
  ]

  test('a plan that goes on although the judge says stop asks, and nothing is skipped', async () => {
    const script = scripted(thenStep('stop', { say: 'Dear Ada' }), { say: 'Sent.' })
    const watching = new CliProcess(['run', '--input', '-', '--plan', planFile(letter)], env, script)
    await answerWith(watching)
    const { code, stderr, stdout } = await watching.finished
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Sent.\n' })
    expect(stderr).toContain('The judge sees the goal reached. The plan goes on.')
    expect(stderr).not.toContain('skipped')
  })

  test('the steps that a run has ended without are told', async () => {
    const failed = await run(scripted({ fail: {} }), '--plan', planFile(letter))
    expect(failed.code).toBe(1)
    expect(failed.stderr).toMatch(/✗ draft\n– gate: skipped\n– send: skipped\n✗ Failed/)
    const input = JSON.parse(scripted(thenStep('stop'), {}, {}))
    const { id } = await caller.newRun({ input, routing_hint: 'require_planning' })
    const stopped = await cli(['watch', id], env)
    expect(stopped.stderr).toMatch(/✓ step_1\n– step_2: skipped\n– step_3: skipped\n✓ Succeeded/)
  })

  test('the steps that a new plan leaves out are told, too', async () => {
    const plan = planFile(['a', 'b', 'c', 'd'].map((id) => ({ id, instruction: id })))
    const script = scripted(thenStep('await_input'), thenStep('replan'), { say: 'again' })
    const watching = new CliProcess(['run', '--input', '-', '--plan', plan], env, script)
    await answerWith(watching)
    expect((await watching.finished).stderr).toMatch(/– c: skipped\n– d: skipped\n✓ Succeeded/)
  })

  test('a revision begins on a line of its own, below what the judge said', async () => {
    const grades = [{ passes: false, notes: 'How much?' }]
    const step = { say: 'A lot.', grades, revisions: ['391 euros.'] }
    const input = JSON.stringify({ rubric: 'Names the price.', sandbox: { steps: [step] } })
    const { stdout, stderr } = await run(input)
    expect(stdout).toBe('391 euros.\n')
    expect(stderr).toMatch(/│ A lot\.\n↻ The answer does not pass .* and is revised: How much\?\n.*│ 391 euros\.\n✓/)
  })

  test('steps side by side do not mix their lines', async () => {
    const file = planFile(['left', 'right'].map((id) => ({ id, instruction: id, depends_on: [] })))
    const text = (word: string) => Array.from({ length: 40 }, () => word).join(' ')
    const say = (word: string) => ({ say: `${text(word)}\n${text(word)}`, chunk_ms: 20 })
    const { stderr } = await run(scripted(say('left'), say('right')), '--plan', file)
    const lines = stderr.split('\n').filter((line) => line.includes('│'))
    expect(lines.length).toBeGreaterThan(3)
    expect(lines.filter((line) => !/^(left │ (left ?)+|right │ (right ?)+)$/.test(line))).toEqual([])
  })
})

describe('the exit code', { timeout }, () => {
  test('is 1 if the run fails, and the reason is told', async () => {
    const { code, stdout, stderr } = await run(
      scripted({ fail: { reason_code: 'provider_auth', message: 'No quota.' } }),
    )
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/✗ Failed: provider_auth: No quota\.\n {2}Retry it: npm run -s runwright -- retry run_/)
  })

  test.each([
    ['no goal', ['run']],
    ['an unknown option', ['run', 'x', '--nonsense']],
    ['an unknown command', ['rnu']],
    ['a wrong choice', ['run', 'x', '--class', 'huge']],
    ['an unreadable file', ['run', '--input', '/does/not/exist.json']],
    ['a wrong address', ['list', '--url', 'nonsense']],
  ])('is 2 for %s', async (_what, args) => {
    const { code, stdout, stderr } = await cli(args, env)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  test('is 3 if the run is cancelled', async () => {
    const watching = new CliProcess(['run', '--input', '-'], env, waiting)
    const [id] = await watching.says(runId)
    await watching.says(/--await-seq/)
    expect(await cli(['cancel', id], env)).toMatchObject({ code: 0, stdout: `${id} is cancelled.\n` })
    expect(await watching.finished).toMatchObject({ code: 3, stdout: '' })
  })

  test('is 4 if a limit ends the run', async () => {
    const { code, stderr } = await run(scripted({ say: 'Expensive.', tokens: 5000 }), '--class', 'short')
    expect(code).toBe(4)
    expect(stderr).toContain('✗ Stopped by a limit: 5,000 of 1,000 tokens.')
  })

  test('is 130 after Ctrl-C, and the run goes on', async () => {
    const watching = new CliProcess(['run', '--input', '-'], env, waiting)
    const [id] = await watching.says(runId)
    await watching.says(/--await-seq/)
    watching.interrupt()
    const { code, stderr } = await watching.finished
    expect(code).toBe(130)
    expect(stderr).toContain(
      `The run goes on.\n  Watch it:  ${commandLine(`watch ${id}`)}\n  Cancel it: ${commandLine(`cancel ${id}`)}\n`,
    )
    expect(await caller.run(id)).toMatchObject({ status: 'running' })
    const again = new CliProcess(['watch', id], env)
    await again.says(/--await-seq/)
    await cli(['signal', id, 'reject', '--reason', 'Enough'], env)
    expect(await again.finished).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/✗ Rejected by bootstrap \(key_acme\): Enough\./),
    })
  })
})

describe('options', { timeout }, () => {
  test('--detach prints the id alone, and the same idempotency key gives the same run', async () => {
    const args = ['run', 'Say hello', '--detach', '--idempotency-key', 'hello-1']
    const [first, second] = [await cli(args, env), await cli(args, env)]
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^run_[0-9a-z]{26}\n$/), stderr: '' })
    expect(second.stdout).toBe(first.stdout)
  })

  test('goal, labels and metadata reach the run', async () => {
    const args = [
      '--subject',
      'ada',
      '--class',
      'long',
      '--title',
      'Chairs',
      '--metadata',
      'ticket=a=1',
      '--metadata',
      'x=2',
    ]
    const { stdout } = await cli(['run', 'Say hello', '--detach', ...args], env)
    const shown = JSON.parse((await cli(['get', stdout.trim(), '--json'], env)).stdout)
    expect(shown).toMatchObject({ subject_id: 'ada', run_class: 'long' })
    expect(shown.input).toMatchObject({
      input: { goal: 'Say hello' },
      metadata: { ticket: 'a=1', x: '2', title: 'Chairs' },
    })
  })

  test('an example runs to its end', async () => {
    const { code, stderr } = await cli(['run', '--example', 'retry'], env)
    expect(code).toBe(1)
    expect(stderr).toContain(`Retry it: ${commandLine('retry')}`)
  })
})

describe('errors are one sentence', { timeout }, () => {
  test('a wrong key: what to do and the request id, never the key', async () => {
    const { code, stderr } = await cli(['list'], { ...env, RUNWRIGHT_API_KEY: 'key_x:hunter2' })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^[^\n]*set RUNWRIGHT_API_KEY[^\n]*\(req_\w+\)\n$/)
    expect(stderr).not.toContain('hunter2')
  })

  test('no service', async () => {
    const { code, stderr } = await cli(['list'], { ...env, RUNWRIGHT_URL: 'http://127.0.0.1:9' })
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^No service answers at http:\/\/127\.0\.0\.1:9: [^\n]+ Start one with npm run -s runwright -- start, [^\n]+\n$/,
    )
  })

  test('a misspelt variable names the right one and not its value', async () => {
    const { code, stderr } = await cli(['list'], { ...env, RUNWRIGHT_KEY: 'hunter2' })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'RUNWRIGHT_KEY is not a setting: did you mean RUNWRIGHT_API_KEY?\n',
    })
  })

  test('an unknown run', async () => {
    const { code, stderr } = await cli(['watch', 'run_00000000000000000000000000'], env)
    expect(code).toBe(1)
    expect(stderr).toMatch(/Run npm run -s runwright -- list to see your runs\. \(req_\w+\)\n$/)
  })
})

test('a reader that closes the pipe ends the command quietly', { timeout }, async () => {
  const program = join(import.meta.dirname, '../../bin/runwright.mjs')
  const line = `"${process.execPath}" "${program}" --help | head -1`
  const { stdout, stderr } = await promisify(execFile)('/bin/sh', ['-c', line], { env })
  expect({ stdout, stderr }).toEqual({ stdout: 'Usage: runwright [options] [command]\n', stderr: '' })
})
