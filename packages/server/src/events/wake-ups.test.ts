// Which workers a run that is ready wakes, with several processes on one database.
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { Occurrences } from '../../test/support/occurrences.ts'
import { Notifications } from '../store/postgres/notifications.ts'
import { EventHub } from './event-hub.ts'
import { WakeUps } from './wake-ups.ts'

let fresh: FreshDatabase
/** What all processes send. */
let messages: Occurrences<string>
/** The names of the processes whose workers were woken; `all:` before those that were told with all others. */
let woken: Occurrences<string>
let budgetsHeard: Occurrences<string>
let open: { stop(): Promise<void> }[]

beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())
beforeEach(async () => {
  messages = new Occurrences()
  woken = new Occurrences()
  budgetsHeard = new Occurrences()
  const witness = new Notifications({
    connection: fresh.connection,
    channel: 'runwright_events',
    onMessage: (payload) => messages.add(payload),
    onListening: () => messages.add('listening'),
  })
  witness.start()
  open = [witness]
  await messages.nth(1, (message) => message === 'listening')
})
afterEach(() => Promise.all(open.map((one) => one.stop())))

const runIsReady = () =>
  [{ customerId: 'acme', runId: randomUUID(), state: 'queued', claimable: true, events: [] }] as const

/** A process of the fleet. With `wake` it executes runs. */
function start(name: string, wake?: (own: WakeUps) => void, isIdle = false): WakeUps {
  const wakeUps: WakeUps = new WakeUps({
    connection: fresh.connection,
    hub: new EventHub(),
    sender: name,
    onReady: () => woken.add(`all: ${name}`),
    onBudgets: () => budgetsHeard.add(name),
  })
  const note = () => {
    woken.add(name)
    wake?.(wakeUps)
  }
  if (wake) wakeUps.setWorker({ isIdle, wake: note })
  wakeUps.start()
  open.push(wakeUps)
  return wakeUps
}

/** Starts processes one after the other. Each says hello again when it hears of a new one, and then knows it. */
async function fleet(...starts: (() => WakeUps)[]): Promise<WakeUps[]> {
  const all: WakeUps[] = []
  for (const [n, startOne] of starts.entries()) {
    all.push(startOne())
    await messages.until((sent) => sent.filter((message) => message.includes(',here')).length >= hellos(n + 1))
  }
  for (const one of all) await allHave(one, all.length - 1)
  woken.all.length = 0
  return all
}
/** The first says one, the second one more and is answered, and so on. */
const hellos = (processes: number) => (processes * (processes + 1)) / 2

/** Everything that was sent before has been heard by all others of the fleet. */
async function allHave(sender: WakeUps, others: number): Promise<void> {
  budgetsHeard.all.length = 0
  sender.publishBudgets()
  await budgetsHeard.until((all) => all.length >= others)
}

const worker =
  (name: string, wake: (own: WakeUps) => void = () => undefined) =>
  () =>
    start(name, wake)
const api = () => start('api')

test('one worker that has room, and the next one for the next run', async () => {
  const [sender] = (await fleet(api, worker('a'), worker('b'))) as [WakeUps]
  for (let run = 0; run < 4; run += 1) {
    sender.publish(runIsReady())
    await allHave(sender, 2)
  }
  expect(woken.all).toEqual(['a', 'b', 'a', 'b'])
})

test('the idle worker of the own process, without a message', async () => {
  const own = () => start('own', () => undefined, true)
  const [sender] = (await fleet(own, worker('b'))) as [WakeUps]
  for (let run = 0; run < 3; run += 1) sender.wakeOne()
  await allHave(sender, 1)
  expect(woken.all).toEqual(['own', 'own', 'own'])
  expect(messages.all.join()).not.toMatch(/wake:|ready/)
})

test('another worker if the first is full by now', async () => {
  const passOn = (own: WakeUps) => {
    own.publishRoom(false)
    own.wakeOne()
  }
  const [sender] = (await fleet(api, worker('a', passOn), worker('b'))) as [WakeUps]
  sender.publish(runIsReady())
  await woken.until((all) => all.includes('b'))
  sender.publish(runIsReady())
  await allHave(sender, 2)
  expect(woken.all).toEqual(['a', 'b', 'b'])
})

test('all workers if none has room', async () => {
  const [sender, a] = (await fleet(api, worker('a'))) as [WakeUps, WakeUps]
  a.publishRoom(false)
  await allHave(a, 1)
  sender.publish(runIsReady())
  await allHave(sender, 1)
  expect(woken.all).toEqual(['all: api', 'all: a'])
})

test('another worker if the first does not answer', async () => {
  const [sender] = (await fleet(api, worker('b'))) as [WakeUps]
  // It says hello like a process that executes runs, and then nothing more.
  await fresh.database.run({ text: "select pg_notify('runwright_events', 'dead,here,room')" })
  await messages.nth(3, (message) => message === 'api,here')
  for (let run = 0; run < 2; run += 1) sender.publish(runIsReady())
  await woken.until((all) => all.length === 2)
  expect(messages.all.filter((message) => message.includes('wake:dead'))).toHaveLength(1)
  expect(woken.all).toEqual(['b', 'b'])
  sender.publish(runIsReady())
  await allHave(sender, 1)
  expect(woken.all).toEqual(['b', 'b', 'b'])
})

test('no worker that has stopped', async () => {
  const [sender, a, b] = (await fleet(api, worker('a'), worker('b'))) as [WakeUps, WakeUps, WakeUps]
  await a.stop()
  await messages.nth(1, (message) => message === 'a,gone')
  await allHave(b, 1)
  expect(sender.workers).toBe(1)
  for (let run = 0; run < 2; run += 1) sender.publish(runIsReady())
  await allHave(sender, 1)
  expect(woken.all).not.toContain('a')
})

test('whom the last message of a process wakes', async () => {
  await fleet(worker('a'))
  // It handed its runs over while it stopped.
  await fresh.database.run({ text: "select pg_notify('runwright_events', 'leaver,full,wake:a,gone')" })
  await woken.until((all) => all.length > 0)
  expect(woken.all).toEqual(['a'])
})

test('a worker that finds nothing to claim answers nevertheless', async () => {
  const [sender, a] = (await fleet(api, worker('a'))) as [WakeUps, WakeUps]
  await messages.nth(2, (message) => message.startsWith('a,here'))
  await allHave(a, 1)
  sender.publish(runIsReady())
  await woken.until((all) => all.length === 1)
  await messages.nth(3, (message) => message.startsWith('a,here'))
  expect(messages.all.join()).not.toContain('ready')
  expect(sender.workers).toBe(1)
})
