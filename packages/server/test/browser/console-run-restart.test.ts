// The service goes away while a person watches a run, and comes back, or only its stream does: the page says so, and is
// right again by itself.
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Driver, plannerTaskOf } from '../support/drive.ts'
import { Caller } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { sharedBrowser, Visitor } from './visitor.ts'

/** A way to the service that can be closed as a stopped service is: connections end, and new ones are refused. */
class Door {
  readonly #target: number
  readonly #sockets = new Set<Socket>()
  /** What silences the streams that are open. */
  readonly #silencers = new Set<() => void>()
  #server: Server
  port = 0

  constructor(target: number) {
    this.#target = target
    this.#server = this.#create()
  }

  #create = () =>
    createServer((client) => {
      const upstream = createConnection(this.#target, '127.0.0.1')
      for (const socket of [client, upstream]) {
        this.#sockets.add(socket)
        socket.on('error', () => undefined)
        socket.on('close', () => {
          client.destroy()
          upstream.destroy()
          this.#sockets.delete(socket)
        })
      }
      client.pipe(upstream)
      upstream.pipe(client)
      client.on('data', (bytes) => {
        if (bytes.includes('/events/stream')) this.#silencers.add(() => upstream.unpipe(client).resume())
      })
    })

  /** Streams that are open deliver nothing any more, and do not end. */
  silenceStreams(): void {
    for (const silence of this.#silencers) silence()
    this.#silencers.clear()
  }

  async open(): Promise<void> {
    this.#server = this.#create()
    await new Promise<void>((resolve) => this.#server.listen(this.port, '127.0.0.1', resolve))
    this.port = (this.#server.address() as { port: number }).port
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }
}

let service: Service
let door: Door

beforeAll(async () => {
  service = await startService()
  door = new Door(Number(new URL(service.url).port))
  await door.open()
})
afterAll(async () => {
  await door.close()
  await service.stop()
})

const enter = async (hash: string, prepare?: (person: Visitor) => Promise<unknown>): Promise<Visitor> => {
  const person = await Visitor.enter(await sharedBrowser(), `http://127.0.0.1:${door.port}`)
  await person.bringKey(service.key)
  await prepare?.(person)
  await person.goTo(hash)
  return person
}

/** Notes what the page says about its connection, from the beginning. */
const noteMarks = `globalThis.marks = new Set()
  new MutationObserver(() => {
    for (const { innerText } of document.querySelectorAll('[role=status]')) marks.add(innerText.trim())
  }).observe(document, { subtree: true, childList: true, characterData: true })`

const seesLive = ({ page }: Visitor) => page.getByRole('status').getByText('live', { exact: true }).waitFor()

const marksOf = ({ page }: Visitor) => page.evaluate<string[]>('[...marks]')

test.each([
  [418, { message: 'A proxy refuses it.' }],
  [429, { error: 'rate_limited', reason_code: 'STREAM_LIMIT_REACHED', message: 'Too many streams.' }],
])('a stream that is refused with %d beside a service that answers is not called live', async (status, json) => {
  const { id } = await new Caller(service.url, service.key).newRun()
  let refusals = 0
  let refuseThree = () => {}
  const refusedThree = new Promise<void>((resolve) => {
    refuseThree = resolve
  })
  const person = await enter(`#/runs/${id}`, async ({ page }) => {
    await page.addInitScript(noteMarks)
    await page.route('**/events/stream?*', (route) => {
      refusals += 1
      if (refusals > 3) return route.continue()
      if (refusals === 3) refuseThree()
      return route.fulfill({ status, json })
    })
  })
  await person.sees('Reconnecting…')
  await person.hasNoAxeFindings()
  await refusedThree
  expect(await marksOf(person)).not.toContain('live')
  await seesLive(person)
  expect(refusals).toBe(4)
  await person.leave()
})

test('a stream that delivers nothing beside a service that answers is dead within 10 s', async () => {
  const { id } = await new Caller(service.url, service.key).newRun()
  const driver = new Driver(service.database)
  await driver.toRunning(id)
  const person = await enter(`#/runs/${id}`, async ({ page }) => {
    await page.addInitScript(noteMarks)
    await page.clock.install()
  })
  const { page } = person
  await seesLive(person)
  await page.getByRole('tab', { name: 'Events' }).click()
  await person.sees('2 events')
  door.silenceStreams()
  const payload = { content: 'Written in silence.', outcome: 'succeeded', task_id: plannerTaskOf(id) }
  await driver.progress(id, { events: [{ type: 'step.done', payload }] })
  const asked = page.waitForResponse(/\/events\?cursor=2/)
  await page.clock.runFor(5_000)
  await asked
  await page.clock.runFor(5_000)
  await expect.poll(() => marksOf(person)).toContain('Reconnecting…')
  await person.sees('3 events')
  await seesLive(person)
  await person.leave()
})

test('the page says that it reconnects, and is right within 5 s after the service is back', async () => {
  const caller = new Caller(service.url, service.key)
  const driver = new Driver(service.database)
  const { id } = await caller.newRun()
  await driver.toRunning(id)
  const person = await enter(`#/runs/${id}`)
  await seesLive(person)
  await door.close()
  await person.sees('Reconnecting…')
  await person.hasNoAxeFindings()
  const payload = { content: 'Written meanwhile.', outcome: 'succeeded', task_id: plannerTaskOf(id) }
  await driver.progress(id, { events: [{ type: 'step.done', payload }] })
  await driver.toAwaiting(id, { prompt: 'Go on?' })
  await door.open()
  await person.page.getByText('Go on?').waitFor({ timeout: 5_000 })
  await person.page.getByText('Written meanwhile.').first().waitFor({ timeout: 5_000 })
  expect(await person.page.getByText('Reconnecting…').count()).toBe(0)
  expect(await person.page.getByRole('alert').count()).toBe(0)
  await person.leave()
})
