// A key that was stolen sets up things that outlive it: schedules, webhooks, other keys. The person who revokes it
// is told about all of them, they end if that is wanted, and the key adds nothing after its revocation.
import { randomBytes } from 'node:crypto'
import { type ErrorBody, type KeyWithSecret, keyDetailSchema, type Schedule } from '@runwright/contract'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { keysCommand } from '../../src/cli/admin/keys.ts'
import { commandLine } from '../../src/cli/output/command-line.ts'
import { operator } from '../../src/domain/actor.ts'
import { fromWireId } from '../../src/runtime/ids.ts'
import { revokeKeyOnce } from '../../src/store/keys/keys.ts'
import { Terminal } from '../support/cli.ts'
import { Caller, emptyRun, jsonType } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
let thief: Caller
let stolen: string
beforeAll(async () => {
  // It executes no runs, so it sends no messages to webhooks.
  service = await startService()
  acme = new Caller(service.url, service.key)
})
afterAll(() => service.stop())
beforeEach(async () => {
  const scopes = ['runs:read', 'runs:write', 'keys:admin', 'webhooks:admin']
  const { key, secret } = (await acme.post('/v1/keys', { name: 'stolen', scopes })).json<KeyWithSecret>()
  stolen = key.id
  thief = new Caller(service.url, `${stolen}:${secret}`)
})
afterEach(async () => {
  await service.database.run({ text: 'delete from schedules' })
  await service.database.run({ text: 'delete from webhooks' })
})

/** Its next tick is in January. */
const yearly = { cron: '0 0 1 1 *', run: emptyRun }

const schedule = async (caller: Caller, name: string): Promise<string> =>
  (await caller.post('/v1/schedules', { ...yearly, name })).json<{ schedule: Schedule }>().schedule.id

const patch = (caller: Caller, id: string, body: object) =>
  caller.send({ method: 'PATCH', path: `/v1/schedules/${id}`, body, headers: jsonType })

const newKey = async (caller: Caller, name: string) =>
  (await caller.post('/v1/keys', { name, scopes: ['runs:read'] })).json<KeyWithSecret>().key.id

const newHook = async (caller: Caller, url: string) =>
  (await caller.post('/v1/webhooks', { url })).json<{ webhook: { id: string } }>().webhook.id

const leavesOf = async (keyId: string, caller = acme) =>
  keyDetailSchema.strict().parse((await caller.get(`/v1/keys/${keyId}`)).json()).leaves

describe('what a key leaves', () => {
  test('is everything that it has set up and that goes on, and nothing else', async () => {
    const own = await schedule(thief, 'of the thief')
    const taken = await schedule(acme, 'taken over')
    await patch(thief, taken, { run: { ...emptyRun, workspace_id: 'w' } })
    const paused = await schedule(thief, 'paused')
    await patch(acme, paused, { paused: true })
    const hurried = await schedule(acme, 'hurried')
    await patch(thief, hurried, { cron: '* * * * *' })
    const resumed = await schedule(acme, 'resumed')
    await patch(acme, resumed, { paused: true })
    await patch(thief, resumed, { paused: false })
    const takenBack = await schedule(thief, 'taken back')
    await patch(acme, takenBack, { cron: '0 0 2 1 *', run: { ...emptyRun, workspace_id: 'w' } })
    const hook = await newHook(thief, 'https://thief.example/path?token=hidden')
    await newHook(acme, 'https://acme.example/')
    const created = await newKey(thief, 'created')
    const rotated = await newKey(acme, 'rotated')
    expect((await thief.post(`/v1/keys/${rotated}/rotate`, {})).status).toBe(200)
    const gone = await newKey(thief, 'gone')
    await acme.send({ method: 'DELETE', path: `/v1/keys/${gone}` })

    const { schedules, webhooks, keys } = await leavesOf(stolen)
    expect(schedules.map(({ id, name }) => [id, name])).toEqual([
      [own, 'of the thief'],
      [taken, 'taken over'],
      [hurried, 'hurried'],
      [resumed, 'resumed'],
    ])
    expect(webhooks).toEqual([{ id: hook, host: 'thief.example' }])
    expect(keys).toEqual([
      { id: created, name: 'created' },
      { id: rotated, name: 'rotated' },
    ])
  })

  test('is told to its customer only', async () => {
    await schedule(thief, 'of the thief')
    const other = new Caller(service.url, service.otherKey)
    const [foreign, unknown] = [await other.get(`/v1/keys/${stolen}`), await other.get('/v1/keys/key_unknown')]
    expect([foreign.status, foreign.json<ErrorBody>().reason_code]).toEqual([404, 'KEY_NOT_FOUND'])
    expect(foreign.json<ErrorBody>().message).toBe(unknown.json<ErrorBody>().message)
  })
})

test('a revoked key adds nothing, not even in a process that has it cached', async () => {
  const victim = await newKey(acme, 'victim')
  const before = await schedule(acme, 'before')
  expect((await thief.get('/v1/runs')).status).toBe(200)
  // As another process does it: this one keeps the key for three seconds.
  await revokeKeyOnce(service.database, { customerId: 'acme', id: stolen, by: operator })
  const refusals = await Promise.all([
    thief.post('/v1/schedules', yearly),
    patch(thief, before, { run: { ...emptyRun, workspace_id: 'taken' } }),
    thief.post('/v1/webhooks', { url: 'https://thief.example/' }),
    thief.post('/v1/keys', { scopes: ['runs:read'] }),
    thief.post(`/v1/keys/${victim}/rotate`, {}),
  ])
  expect(refusals.map((reply) => reply.json<ErrorBody>().reason_code)).toEqual(Array(5).fill('API_KEY_REVOKED'))
  expect(await leavesOf(stolen)).toEqual({ schedules: [], webhooks: [], keys: [] })
})

describe('runwright keys revoke', () => {
  let out: string
  beforeEach(() => {
    out = ''
    vi.spyOn(console, 'log').mockImplementation((text) => {
      out += `${text}\n`
    })
    return () => vi.restoreAllMocks()
  })

  const revoke = async (terminal: Terminal, ...options: string[]): Promise<string> => {
    const store = { database: service.database, keyPepper: randomBytes(32) }
    const command = keysCommand((work) => work(store), terminal)
    await command.parseAsync(['revoke', stolen, '--customer', 'acme', ...options], { from: 'user' })
    return out
  }

  const pipe = () => new Terminal({}, { isTTY: false })

  /** Lets every schedule that is not paused fire, the given one last. Resolves when its run is there. */
  async function tick(last: string): Promise<string[]> {
    const stream = await acme.stream('/v1/events/stream')
    await service.database.run({
      text: `
update schedules
set next_at = date_trunc('second', now()),
  due_at = now() - case when id = $1 then interval '0' else interval '1 s' end
where next_at is not null`,
      values: [fromWireId('sched', last)],
    })
    await stream.until(({ text }) => text.includes(last))
    stream.close()
    const found = await service.database.run<{ key: string }>({ text: 'select idempotency_key as key from runs' })
    return found.map(({ key }) => key.split(':')[1] ?? '')
  }

  test('names what goes on, with the commands that stop it, and stops nothing by itself', async () => {
    const id = await schedule(thief, 'of the thief\u202e')
    const hook = await newHook(thief, 'https://thief.example/')
    const key = await newKey(thief, 'created')
    const last = await schedule(acme, 'last')
    const text = await revoke(pipe())
    expect(text).toContain('Schedules of the key still create runs. To pause them:')
    expect(text).toContain(`  ${commandLine(`schedules pause ${id}`)}\n`)
    expect(text).toContain(`  ${commandLine(`webhooks delete ${hook}`)}\n`)
    expect(text).toContain(`  ${commandLine(`keys revoke ${key} --customer acme`)}\n`)
    expect(text).not.toContain('\u202e')
    expect(await tick(last)).toContain(id)
  })

  test('with --stop pauses the schedules: no tick fires, and the audit log says who did it', async () => {
    const id = await schedule(thief, 'of the thief')
    const last = await schedule(acme, 'last')
    const text = await revoke(pipe(), '--stop')
    expect(text).toContain(`Paused ${id}.`)
    expect(text).not.toContain('still create runs')
    expect(await tick(last)).not.toContain(id)
    const acts = await service.database.run({
      text: `
select action, via from audit_queue where target = $1
union all
select action, via from audit_entries where target = $1`,
      values: [id],
    })
    expect(acts).toContainEqual({ action: 'schedule.update', via: 'operator' })
  })

  test.each([
    ['y', true],
    ['', false],
    ['no', false],
  ])('asks on a terminal: after %j, paused is %j', async (answer, isPaused) => {
    const id = await schedule(thief, 'of the thief')
    const terminal = new Terminal({})
    const revoked = revoke(terminal)
    await terminal.sees('Pause them now? [y/N]')
    expect(terminal.screen).toContain(id)
    terminal.type(`${answer}\r`)
    await revoked
    const { schedules } = await leavesOf(stolen)
    expect(schedules.map((left) => left.id)).toEqual(isPaused ? [] : [id])
  })

  test('prints what is left as JSON for machines, without a question', async () => {
    const [first, second] = [await schedule(thief, 'first'), await schedule(thief, 'second')]
    const { leaves, paused } = JSON.parse(await revoke(new Terminal({}), '--json'))
    expect(leaves.schedules.map(({ id }: Schedule) => id)).toEqual([first, second])
    expect(paused).toEqual([])
    out = ''
    expect(JSON.parse(await revoke(pipe(), '--json', '--stop'))).toMatchObject({
      leaves: { schedules: [], webhooks: [], keys: [] },
      paused: [first, second],
    })
  })
})
