// The service goes away while a person watches a run, and comes back: the page says so, and is right again by itself.
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
    })

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

test('the page says that it reconnects, and is right within 5 s after the service is back', async () => {
  const caller = new Caller(service.url, service.key)
  const driver = new Driver(service.database)
  const { id } = await caller.newRun()
  await driver.toRunning(id)
  const person = await Visitor.enter(await sharedBrowser(), `http://127.0.0.1:${door.port}`)
  await person.bringKey(service.key)
  await person.goTo(`#/runs/${id}`)
  await person.sees('live')
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
