// What was acknowledged is on disk: PostgreSQL is killed right after a 201, and every acknowledged run is there after
// the next start.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CreatedRun } from '@runwright/contract'
import { afterAll, expect, test } from 'vitest'
import { emptyRun } from '../support/http.ts'
import { Fleet, newFolder, type ServiceProcess } from '../support/processes.ts'

const folder = await newFolder()
/** Without a URL, the service starts its own PostgreSQL. */
const fleet = new Fleet(folder, '', { DATABASE_URL: '' })
afterAll(() => fleet.close())

const creators = 20
const enough = 200

const killPostgres = () =>
  process.kill(Number(readFileSync(join(folder, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL')

/** Creates runs from all sides until PostgreSQL is gone. Returns the ids of the 201 answers. */
async function createUntilKilled(service: ServiceProcess): Promise<string[]> {
  const caller = fleet.caller(service)
  const acknowledged: string[] = []
  const create = async (): Promise<void> => {
    for (;;) {
      const reply = await caller.create(emptyRun).catch(() => undefined)
      if (reply?.status !== 201) return
      acknowledged.push(reply.json<CreatedRun>().id)
      if (acknowledged.length === enough) killPostgres()
    }
  }
  await Promise.all(Array.from({ length: creators }, create))
  return acknowledged
}

test('a run that was answered with 201 survives a kill of PostgreSQL', { timeout: 120_000 }, async () => {
  const service = await fleet.start('start')
  const acknowledged = await createUntilKilled(service)
  expect(acknowledged.length).toBeGreaterThanOrEqual(enough)
  await service.exited

  const caller = fleet.caller(await fleet.start('start'))
  const replies = await Promise.all(acknowledged.map((id) => caller.get(`/v1/runs/${id}`)))
  expect(acknowledged.filter((_, index) => replies[index]?.status !== 200)).toEqual([])
})
