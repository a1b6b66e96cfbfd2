// Texts of clients, models and tools on the terminal of a person: they could move the cursor, set the title, hide words
// or turn them around. What holds: no command prints a control, bidirectional or invisible character of theirs. They
// are shown as escapes, also in the question before an approval.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KeyWithSecret, Schedule, Webhook } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandGroups } from '../../src/cli/command-table.ts'
import { environmentOf, ownConnections, Terminal } from '../support/cli.ts'
import { remember } from '../support/drive.ts'
import { Caller } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

/** A colour, an escape in one byte, a title, a return, and characters that turn and hide text. */
const evil = 'evil\u001b[31m\u009b2J\u001b]0;owned\u0007\rpay 1\u202efdp\u200b\u{e0041}\u2066'
const dangerous = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

const folder = await mkdtemp(join(tmpdir(), 'runwright-terminal-'))
const prices = join(folder, 'prices.json')
let service: Service
let caller: Caller
let run: Readonly<Record<'done' | 'failed' | 'answered' | 'asking' | 'approving', string>>
let ids: Readonly<Record<'schedule' | 'webhook' | 'key' | 'memory', string>>
const connections = ownConnections()

const labels = { workspace_id: evil, subject_id: evil, metadata: { title: evil, note: evil } }
const sandbox = (step: object) => ({
  ...{ ...labels, routing_hint: 'skip_planning' },
  input: { evil, sandbox: { steps: [step] } },
})
const planned = (step: object) => ({ ...labels, input: {}, plan: { version: 'v2', goal: evil, steps: [step] } })

beforeAll(async () => {
  await writeFile(prices, JSON.stringify({ currency: 'EUR', date: '2026-11-01', models: {} }))
  service = await startService({}, { worker: true })
  caller = new Caller(service.url, service.key)
  const tools = [{ name: 'json_query', input: { json: { evil }, path: '$' } }]
  const wait = { input_kind: 'approval', reason_code: evil, prompt: evil }
  run = {
    done: await caller.newRunUntil('run.worker.succeeded', sandbox({ say: evil, output: { evil }, tools })),
    failed: await caller.newRunUntil('run.worker.failed', sandbox({ fail: { reason_code: evil, message: evil } })),
    // biome-ignore lint/suspicious/noThenProperty: the script's own word.
    answered: await caller.newRunUntil('run.awaiting_input', sandbox({ say: evil, then: 'await_input', await: wait })),
    asking: await caller.newRunUntil('run.awaiting_input', planned({ id: 'gate', await_input: { prompt: evil } })),
    approving: await caller.newRunUntil(
      'run.awaiting_input',
      planned({ id: 'sum', tool: 'calculator', input: { expression: evil }, approval: 'required' }),
    ),
  }
  await caller.post(`/v1/runs/${run.answered}/signal`, { action: 'reject', payload: { reason: evil } })
  const schedule = { name: evil, cron: '0 9 * * *', run: { input: { evil }, metadata: { evil }, workspace_id: evil } }
  ids = {
    schedule: (await caller.post('/v1/schedules', schedule)).json<{ schedule: Schedule }>().schedule.id,
    webhook: (await caller.post('/v1/webhooks', { name: evil, url: `https://example.com/?${encodeURI(evil)}` })).json<{
      webhook: Webhook
    }>().webhook.id,
    key: (await caller.post('/v1/keys', { name: evil })).json<KeyWithSecret>().key.id,
    memory: await remember(service.database, { title: evil, content: evil, workspace_id: evil, subject_id: evil }),
  }
})
afterAll(async () => {
  await connections.close()
  await service.stop()
  await rm(folder, { recursive: true })
})

/** What each command is given. It reads everything that there is. */
const commands: Readonly<Record<string, () => readonly (readonly string[])[]>> = {
  run: () => [[evil, '--detach']],
  watch: () => [[run.done], [run.failed]],
  list: () => [[], ['--workspace', evil]],
  get: () => Object.values(run).map((id) => [id]),
  signal: () => [[run.done, 'approve']],
  cancel: () => [[run.done]],
  retry: () => [[run.done]],
  resume: () => [[run.done]],
  fork: () => [[run.done, evil]],
  events: () => Object.values(run).map((id) => [id]),
  usage: () => [[]],
  costs: () => [['--by', 'subject', '--prices', prices]],
  memory: () => [['list'], ['get', ids.memory]],
  agents: () => [[]],
  tools: () => [[]],
  schedules: () => [['list'], ['get', ids.schedule], ['pause', ids.schedule]],
  webhooks: () => [['list'], ['deliveries', ids.webhook]],
  audit: () => [[]],
}

/** They print nothing that a client, a model or a tool has written, or their tables are tested below. */
const others = [
  ...['open', 'start', 'api', 'worker', 'gate', 'migrate', 'doctor', 'completion'],
  ...['customers', 'subjects', 'keys', 'cells', 'mcp', 'secrets', 'replay', 'eval', 'tokens', 'link'],
]

test('every command is tested, or is known to print no such text', () => {
  const all = commandGroups.flatMap((group) => group.commands.map(({ name }) => name))
  expect([...Object.keys(commands), ...others].toSorted()).toEqual(all.toSorted())
})

async function outputOf(args: readonly string[], isTTY: boolean) {
  const terminal = new Terminal(environmentOf(service), { isTTY })
  await terminal.run(...args).catch((error: Error) => terminal.shown.add(error.message))
  return { out: terminal.output, err: terminal.screen }
}

describe.each(Object.keys(commands))('runwright %s', (name) => {
  test('prints no dangerous character, as text and as JSON', async () => {
    for (const args of commands[name]?.() ?? []) {
      for (const options of [[], ['--json']]) {
        const { out, err } = await outputOf([name, ...args, ...options], true)
        expect(`${out}${err}`, [name, ...args, ...options].join(' ')).not.toMatch(dangerous)
      }
    }
  })

  test('prints none in a pipe either, as text: it may lead to a terminal', async () => {
    // What `watch` and `run` print on stdout is the result itself, for a program.
    for (const args of commands[name]?.() ?? []) {
      const { out, err } = await outputOf([name, ...args], false)
      expect(name === 'watch' ? err : `${out}${err}`, [name, ...args].join(' ')).not.toMatch(dangerous)
    }
  })
})

test.each(['asking', 'approving'] as const)('a person who is asked sees the whole text, %s', async (which) => {
  const terminal = new Terminal(environmentOf(service))
  const watched = terminal.run('watch', run[which])
  await terminal.sees('[a]pprove')
  expect(terminal.screen).toContain('pay 1\\u{202e}fdp\\u{200b}\\u{e0041}\\u{2066}')
  // The question itself is drawn with escapes of this program.
  expect(terminal.screen.split('Awaits input until')[0]).not.toMatch(dangerous)
  terminal.type('a\r')
  await watched
})
