// A reader that remembers only its cursor, while every process of the service is killed again and again: it sees every
// event once and in order.
import type { Event } from '@runwright/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HostedFleet, type ServiceProcess, startFleet } from '../support/processes.ts'

const kills = 6
const steps = Array.from({ length: 12 }, (_, n) => ({ say: `Step ${n + 1} says a few words.`, chunk_ms: 30 }))

let hosted: HostedFleet
beforeAll(async () => {
  const env = {
    RUNWRIGHT_LEASE_SECONDS: '1.5',
    RUNWRIGHT_HEARTBEAT_SECONDS: '0.2',
    RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.1',
    RUNWRIGHT_MAX_RECOVERIES: '20',
  }
  hosted = await startFleet({ env })
})
afterAll(() => hosted.close())

const isEnd = ({ type }: Event) => type === 'run.worker.succeeded'

/** Reads on after the cursor until some events have come, or the run has ended. */
async function readSome(service: ServiceProcess, id: string, seen: Event[]): Promise<void> {
  const cursor = seen.at(-1)?.seq ?? 0
  const stream = await hosted.fleet.caller(service).stream(`/v1/runs/${id}/events/stream?cursor=${cursor}`)
  await stream.until(({ events }) => events.length >= 8 || events.some(isEnd), 30_000)
  stream.close()
  seen.push(...stream.events)
}

test('a reader with a cursor misses nothing and sees nothing twice', { timeout: 180_000 }, async () => {
  const { fleet } = hosted
  let service = await fleet.start('start')
  const { id } = await fleet.caller(service).newRun({ input: { sandbox: { steps } } })
  const seen: Event[] = []
  for (let killed = 0; killed < kills; killed += 1) {
    await readSome(service, id, seen)
    await service.kill()
    service = await fleet.start('start')
  }
  while (!seen.some(isEnd)) await readSome(service, id, seen)

  expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 1))
  expect(seen.filter(({ type }) => type === 'run.worker.stalled').length).toBeGreaterThan(0)
  expect(seen).toEqual(await fleet.caller(service).events(id))
})
