// The commands that read and change runs: what they print for people and for programs.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandLine } from '../../src/cli/output/command-line.ts'
import { environmentOf, ownConnections, Terminal } from '../support/cli.ts'
import { planned } from '../support/engine.ts'
import { Caller } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let caller: Caller
const connections = ownConnections()
beforeAll(async () => {
  service = await startService({}, { worker: true })
  caller = new Caller(service.url, service.key)
})
afterAll(async () => {
  await connections.close()
  await service.stop()
})

async function runwright(...args: string[]) {
  const pipe = new Terminal(environmentOf(service), { isTTY: false })
  const code = await pipe.run(...args)
  return { code, out: pipe.output, err: pipe.screen }
}

/** A run that has ended. */
async function ended(body: object): Promise<string> {
  const { id } = await caller.newRun(body)
  await runwright('watch', id)
  return id
}

const failing = {
  input: { sandbox: { steps: [{ fail: { message: 'Broken.', times: 1 } }] } },
  metadata: { title: 'Quarterly report' },
  workspace_id: 'w1',
}
const gated = planned([{ id: 'gate', await_input: { input_kind: 'payload', prompt: 'How much?' } }])

test('list, get and retry of a run that has failed', { timeout: 60_000 }, async () => {
  const id = await ended(failing)
  const { out } = await runwright('list', '--status', 'failed', '--workspace', 'w1')
  const row = `${id} +failed .* w1 .*provider_error +Quarterly report\\n$`
  expect(out).toMatch(new RegExp(`^ID +STATUS .* TITLE\\n${row}`))
  expect((await runwright('get', id)).out).toMatch(
    /^Run +run_\w+\nTitle +Quarterly report\nStatus +failed\n[\s\S]*Failure +provider_error: Broken\./,
  )
  expect((await runwright('retry', id)).out).toBe(`${id} is queued.\n`)
  expect((await runwright('watch', id)).code).toBe(0)
})

test('fork creates a run that keeps a step, with the input of a file', { timeout: 60_000 }, async () => {
  const sum = { id: 'sum', tool: 'calculator', input: { expression: '{{input.n}}' } }
  const twice = { id: 'twice', tool: 'calculator', input: { expression: '{{steps.sum.output.result}} * {{input.n}}' } }
  const id = await ended(planned([sum, twice], [], { input: { n: '2' } }))
  const pipe = new Terminal(environmentOf(service), { isTTY: false })
  pipe.stdin.end('{"n":"5"}')
  expect(await pipe.run('fork', id, 'sum', '--input', '-', '--idempotency-key', 'once')).toBe(0)
  const fork = pipe.output.trim()
  expect(pipe.screen).toContain(`Watch it: ${commandLine(`watch ${fork}`)}`)
  await runwright('watch', fork)
  const { out } = await runwright('get', fork)
  expect(out).toMatch(new RegExp(`^Forked +from ${id} after sum$`, 'm'))
  expect(out).toContain('{"result":10}')
  expect((await runwright('get', id)).out).not.toContain('Forked')
  const refused = runwright('fork', id, 'nothing')
  await expect(refused).rejects.toThrow('The run has not finished a step "nothing".')
})

test('list by several statuses, error, agent and words of the title', { timeout: 60_000 }, async () => {
  const failed = await ended({ ...failing, workspace_id: 'w2' })
  const { id: other } = await caller.newRun({ metadata: { title: 'Weekly letter' }, workspace_id: 'w2' })
  await runwright('watch', other)
  const listed = async (...args: string[]) => {
    const { out } = await runwright('list', '--workspace', 'w2', '--json', ...args)
    return JSON.parse(out).runs.map((run: { id: string }) => run.id)
  }
  expect(await listed('--status', 'failed, succeeded')).toEqual([other, failed])
  expect(await listed('--status', 'queued,failed')).toEqual([failed])
  expect(await listed('--error', 'provider_error')).toEqual([failed])
  expect(await listed('--error', 'tool_failed')).toEqual([])
  expect(await listed('--q', 'weekly')).toEqual([other])
  expect(await listed('--agent', 'clerk')).toEqual([])
  expect((await runwright('list', '--workspace', 'w2', '--q', 'yearly')).out).toBe('No runs.\n')
})

test('a status that does not exist is refused with those that do', async () => {
  const refused = runwright('list', '--status', 'failed,broken')
  await expect(refused).rejects.toThrow(/Allowed are queued, running, .*separated by commas/)
})

test('list --json is the document of the API, with a cursor to go on', { timeout: 60_000 }, async () => {
  for (const subject_id of ['a', 'a']) await caller.newRun({ subject_id })
  const first = await runwright('list', '--subject', 'a', '--limit', '1', '--json')
  const { runs, next_cursor } = JSON.parse(first.out)
  const second = JSON.parse((await runwright('list', '--subject', 'a', '--cursor', next_cursor, '--json')).out)
  expect([runs.length, second.runs.length, second.next_cursor]).toEqual([1, 1, null])
})

test('a run that waits is listed, shown and answered', { timeout: 60_000 }, async () => {
  const { id } = await caller.newRun(gated)
  const watching = new Terminal(environmentOf(service), { isTTY: false })
  const code = watching.run('watch', id)
  await watching.sees('--await-seq')
  expect((await runwright('list', '--awaiting-input')).out).toMatch(new RegExp(`${id} +awaiting_input `))
  expect((await runwright('get', id)).out).toContain('│ How much?')
  const answer = await runwright('signal', id, 'submit', '--payload', '{"price": 3}')
  expect(answer.out).toBe('Submitted: How much?\n')
  expect(await code).toBe(0)
  const { signals } = JSON.parse((await runwright('get', id, '--json')).out)
  expect(signals).toMatchObject([{ action: 'submit_input', payload: { price: 3 } }])
})

test('a second answer is refused with what to do', { timeout: 60_000 }, async () => {
  const { id } = await caller.newRun(gated)
  const watching = new Terminal(environmentOf(service), { isTTY: false })
  const code = watching.run('watch', id)
  await watching.sees('--await-seq')
  await expect(runwright('signal', id, 'approve', '--await-seq', '1')).rejects.toThrow(/who answered\. \(req_\w+\)$/)
  await runwright('signal', id, 'approve')
  await code
  await expect(runwright('signal', id, 'approve')).rejects.toThrow(/Run npm run -s runwright -- get <run id> to see/)
})

test('events: a line each, NDJSON with --json, from a number on', { timeout: 60_000 }, async () => {
  const id = await ended({ input: { sandbox: { steps: [{ say: 'Hi' }] } } })
  const all = (await runwright('events', id, '--json')).out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1))
  expect(all.at(-1).type).toBe('run.worker.succeeded')
  const rest = (await runwright('events', id, '--after', '2', '--follow')).out.trimEnd().split('\n')
  expect(rest).toHaveLength(all.length - 2)
  expect(rest[0]).toMatch(/^ +3 {2}\d{4}-\S+Z {2}\S+ +\{.*\}$/)
})

test('usage: a table, and the same numbers as JSON', { timeout: 60_000 }, async () => {
  await ended({ input: { sandbox: { steps: [{ say: 'Hi', tokens: 1234 }] } }, workspace_id: 'metered' })
  const { out } = await runwright('usage', '--workspace', 'metered')
  expect(out).toMatch(/^PERIOD +EVENT TYPE +COUNT +QUANTITY$/m)
  expect(out).toMatch(/ tokens\.consumed +1 +1,234$/m)
  const { usage } = JSON.parse((await runwright('usage', '--workspace', 'metered', '--json')).out)
  expect(usage).toContainEqual(expect.objectContaining({ event_type: 'tokens.consumed', total_quantity: 1234 }))
})

test('memory, agents and open', { timeout: 60_000 }, async () => {
  await ended({ input: { sandbox: { steps: [{ say: 'Hi' }] } }, workspace_id: 'remembered' })
  const { items } = JSON.parse((await runwright('memory', '--workspace', 'remembered', '--harness', '--json')).out)
  expect((await runwright('memory', items[0].id)).out).toMatch(/\nkind +episode\n/)
  expect((await runwright('agents')).out).toContain('This service has no agents.')
  expect((await runwright('open', 'run_1')).out).toBe(`${service.url}/console/#/runs/run_1\n`)
})

test('only a terminal gets dangerous characters escaped in JSON; a program gets them unchanged', async () => {
  const { id } = await caller.newRun({ metadata: { note: 'a\u009bb\u202e' } })
  const terminal = new Terminal(environmentOf(service))
  await terminal.run('get', id, '--json')
  expect(terminal.output).not.toMatch(/[\u009b\u202e]/)
  expect(JSON.parse(terminal.output).input.metadata).toEqual({ note: 'a\u009bb\u202e' })
  expect((await runwright('get', id, '--json')).out).toContain('a\u009bb\u202e')
})

test.each([
  ['watch', ''],
  ['get', '..'],
  ['cancel', 'mem_1'],
  ['events', ''],
  ['signal', ''],
])('%s %j: says what the id of a run looks like', async (command, id) => {
  const running = runwright(command, id, ...(command === 'signal' ? ['approve'] : []))
  await expect(running).rejects.toThrow(
    /is invalid for argument 'run id'\. It must begin with run_\. Run npm run -s runwright -- list/,
  )
})
