// Trouble of the database that passes is not the run's fault: it waits or stalls, and goes on; it never fails.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/store/postgres/database.ts'
import { type Bench, outline, scripted, startBench } from '../support/engine.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startBench({
    RUNWRIGHT_LEASE_SECONDS: '1',
    RUNWRIGHT_HEARTBEAT_SECONDS: '0.2',
    RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.1',
  })
  await bench.service.database.run({
    text: `
create table trouble (code text);
-- Not rolled back with the statement: it tells how often there was trouble.
create sequence troubles;
create function cause_trouble() returns trigger language plpgsql as $$
declare
  trouble_code text;
begin
  select code into trouble_code from trouble;
  if found and new.type = 'step.done' then
    perform nextval('troubles');
    raise exception 'the server is in trouble' using errcode = trouble_code;
  end if;
  return new;
end $$;
create trigger trouble before insert on event_rows for each row execute function cause_trouble()`,
  })
})
afterAll(() => bench.stop())

const count = async (database: Database): Promise<number> => {
  const [row] = await database.run<{ count: number }>({ text: "select nextval('troubles') as count" })
  return (row?.count ?? 0) - looks++
}
let looks = 0

test.each([
  ['a full disk', '53100'],
  ['no memory', '53200'],
  ['a shutdown by the operator', '57P01'],
  ['an error of the system', '58030'],
  ['a server that became read-only after a fail-over', '25006'],
])('%s (%s): the run goes on when it is over', async (_, code) => {
  const { database } = bench.service
  await database.run({ text: 'insert into trouble values ($1)', values: [code] })
  const before = await count(database)
  const id = await bench.create(scripted([{ say: 'one' }, { say: 'two' }]))
  await expect.poll(() => count(database)).toBeGreaterThan(before)
  await database.run({ text: 'delete from trouble' })
  const course = outline(await bench.ended(id, 1, 25_000))
  expect(course.at(-1)).toBe('succeeded')
  expect(course.filter((word) => word === 'step.done succeeded')).toHaveLength(2)
})
