// One customer reads as much as it can, or does not read what it asked for. Its answers and the memory of the process
// stay bounded, and another customer is served meanwhile.
import { type IncomingMessage, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { EventPage, MemoryExport, MemoryList, RunList } from '@runwright/contract'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import { Driver } from '../support/drive.ts'
import { bearer, Caller, expectRefusal } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

const mebibyte = 1024 * 1024
const [runs, events, items] = [200, 80, 2_500]
let service: Service
let acme: Caller
let other: Caller
let longRun: string

beforeAll(async () => {
  service = await startService({ RUNWRIGHT_RATE_LIMIT_PER_SECOND: '0' })
  acme = new Caller(service.url, service.key)
  other = new Caller(service.url, service.otherKey)
  for (let n = 0; n < runs; n += 1) longRun = (await acme.newRun()).id
  await other.newRun()
  for (const text of seeds) await service.database.run({ text, values: [] })
  await service.database.run({
    text: `
with log as (
  insert into event_rows (customer_id, run_id, seq, attempt, type, terminal, redacted, at, payload)
  select 'acme', $1, n, 1, 'step.progress', false, false, now(), json_build_object('content_delta', repeat('x', 1000000))
  from generate_series(2, ${events}) n
)
update runs
set next_seq = ${events} + 1
where id = $1`,
    values: [fromWireId('run', longRun)],
  })
})
afterAll(() => service.stop())

/** Each run has a result of 1 MB, and each customer 20 MB of memory. */
const seeds = [
  `update runs set state = 'succeeded', ready_at = null where customer_id = 'acme'`,
  `insert into run_results (customer_id, run_id, redacted, value)
   select customer_id, id, false, json_build_object('content', repeat('x', 1000000), 'output', null)
   from runs where state = 'succeeded'`,
  `insert into memory_items (id, customer_id, kind, title, content, created_at, updated_at)
   select gen_random_uuid(), customer, 'fact', 'Note ' || n, repeat('y', 8000), now(), now()
   from generate_series(1, ${items}) n, unnest(array['acme', 'other']) customer`,
]

const open: IncomingMessage[] = []
afterEach(() => {
  for (const incoming of open.splice(0)) incoming.destroy()
})

/** The head of a response. The client reads its body only if the test does. */
function ask(caller: Caller, path: string, headers = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const authorization = bearer(caller.key ?? '')
    request(`${service.url}${path}`, { agent: false, headers: { authorization, ...headers } }, (incoming) => {
      open.push(incoming)
      resolve(incoming)
    })
      .once('error', reject)
      .end()
  })
}

/** Reads a body to its end without keeping it. */
async function countBytes(incoming: IncomingMessage): Promise<number> {
  let bytes = 0
  for await (const chunk of incoming) bytes += (chunk as Buffer).length
  return bytes
}

/**
 * How much the largest size that the process ever had grows during some work. Garbage that is not collected yet counts
 * too, so a limit is generous: it tells a bounded read from one that holds everything that was asked for.
 */
async function growthDuring(work: () => Promise<unknown>): Promise<number> {
  const before = process.resourceUsage().maxRSS
  await work()
  return (process.resourceUsage().maxRSS - before) * 1024
}

const times = <T>(count: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)))

describe('200 runs with results of 1 MB', () => {
  test('are a small list', async () => {
    const reply = await acme.get('/v1/runs?limit=200')
    expect(reply.json<RunList>().runs).toHaveLength(runs)
    expect(reply.json<RunList>().runs.every(({ event_payload: { value } }) => value === null)).toBe(true)
    expect(reply.text.length).toBeLessThan(100_000)
  })

  test('with include=result take pages of 4 MiB and little memory, also when asked for many times at once', async () => {
    const path = '/v1/runs?limit=200&include=result'
    const sizes: number[] = []
    const read = async () => sizes.push(await countBytes(await ask(acme, path)))
    // All results are 200 MB, and 30 times that.
    expect(await growthDuring(read)).toBeLessThan(128 * mebibyte)
    expect(await growthDuring(() => times(30, read))).toBeLessThan(1024 * mebibyte)
    expect(Math.max(...sizes)).toBeLessThan(4 * mebibyte)
    const page = (await acme.get(path)).json<RunList>()
    expect(page.runs).toHaveLength(4)
    expect(page.next_cursor).toEqual(expect.any(String))
  })
})

describe('40 runs whose questions have had 50 answers of 200 KB, of which 25 are in force', () => {
  const [waiting, given, inForce] = [40, 50, 25]
  const wait = { rules: { approvals: inForce + 1 } }

  beforeAll(async () => {
    const database = service.database
    const driver = new Driver(database, 'other')
    for (let n = 0; n < waiting; n += 1) {
      const { id } = await other.newRun()
      await driver.toAwaiting(id, wait)
      if (n > 0) continue
      const payload = Array.from({ length: 200 }, (_, line) => `${line}`.padEnd(1_000, 'z'))
      const reply = await other.post(`/v1/runs/${id}/signal`, { action: 'submit_input', payload })
      expect(reply.status, reply.text).toBe(200)
    }
    await database.run({
      text: `
insert into votes
select (jsonb_populate_record(v, jsonb_build_object('run_id', r.id, 'nth', n))).*
from votes v, runs r, generate_series(1, ${given}) n
where v.customer_id = 'other' and r.customer_id = 'other' and r.await_seq is not null and (r.id <> v.run_id or n > 1)`,
    })
    await database.run({
      text: `
update runs
set votes = (
  select json_agg(voted.votes::jsonb->0 || jsonb_build_object('nth', n))
  from runs voted, generate_series(${given - inForce + 1}, ${given}) n
  where voted.customer_id = 'other' and voted.votes is not null
)
where customer_id = 'other' and await_seq is not null`,
    })
  })

  test('are a list in pages of 4 MiB, for which little is read', async () => {
    const path = '/v1/runs?limit=200&awaiting_input=true&include=awaiting_input'
    const sizes: number[] = []
    // All answers are 400 MB, those in force 200 MB.
    const growth = await growthDuring(async () => sizes.push(await countBytes(await ask(other, path))))
    expect(growth).toBeLessThan(96 * mebibyte)
    expect(Math.max(...sizes)).toBeLessThan(4.5 * mebibyte)
    const { runs: page, next_cursor: next } = (await other.get(path)).json<RunList>()
    expect([page.length, typeof next]).toEqual([1, 'string'])
  })

  test('show the answers in force, and what they say up to 4 MiB, from the newest backwards', async () => {
    const { runs: page } = (
      await other.get('/v1/runs?limit=1&awaiting_input=true&include=awaiting_input')
    ).json<RunList>()
    const decisions = page[0]?.awaiting_input?.decisions ?? []
    expect(decisions).toHaveLength(inForce)
    expect(decisions.at(-1)?.payload).toHaveLength(200)
    expect(decisions[0]?.payload).toMatch(/^\(20\d,\d{3} bytes left out\)…$/)
    expect(decisions.filter(({ payload }) => typeof payload === 'string')).toHaveLength(5)
  })
})

describe('a run with 80 events of 1 MB', () => {
  test('is polled in pages of 4 MiB, and each event comes once', async () => {
    let [cursor, pages] = [0, 0]
    for (; cursor < events; pages += 1) {
      const reply = await acme.get(`/v1/runs/${longRun}/events?limit=200&cursor=${cursor}`)
      expect(reply.text.length).toBeLessThan(4 * mebibyte)
      const { events: found, next_cursor } = reply.json<EventPage>()
      expect(found.map(({ seq }) => seq)).toEqual(found.map((_, index) => cursor + index + 1))
      cursor = next_cursor
    }
    expect([cursor, pages]).toEqual([events, events / 4])
  })

  test('is not written ahead of clients that do not read, and the other customer gets its events', async () => {
    const growth = await growthDuring(async () => {
      await times(20, () => ask(acme, `/v1/runs/${longRun}/events/stream`))
      const { id } = await other.newRun()
      const stream = await other.stream(`/v1/runs/${id}/events/stream`)
      await stream.until(({ events: got }) => got.length === 1)
      await other.post(`/v1/runs/${id}/cancel`)
      await stream.until(({ events: got }) => got.length === 2)
      stream.close()
    })
    // All that could be written ahead is 1.6 GB.
    expect(growth).toBeLessThan(512 * mebibyte)
  })

  test('reaches a client that reads slowly in order and completely', async () => {
    const incoming = await ask(acme, `/v1/runs/${longRun}/events/stream`)
    const seqs: number[] = []
    let rest = ''
    incoming.setEncoding('latin1')
    for await (const chunk of incoming) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('id: ')) seqs.push(Number(line.slice(4)))
      if (seqs.length === events) break
    }
    expect(seqs).toEqual(Array.from({ length: events }, (_, index) => index + 1))
  })
})

describe('answers that a customer does not read', () => {
  test('count: beyond 64 MiB its requests get 429, those of another customer do not', async () => {
    const poll = `/v1/runs/${longRun}/events?limit=200`
    const statuses = []
    for (let n = 0; n < 30; n += 1) statuses.push((await ask(acme, poll)).statusCode)
    expect(statuses).toContain(429)
    expectRefusal(await acme.get('/v1/runs'), 429, 'RATE_LIMITED')
    expect((await other.get('/v1/runs')).status).toBe(200)
    const closed = open.splice(0).map((incoming) => new Promise((resolve) => incoming.once('close', resolve).destroy()))
    await Promise.all(closed)
    await expect.poll(async () => (await acme.get('/v1/runs')).status).toBe(200)
  })

  test('hold its four slots for large reads: more wait, and more than 200 get 429', async () => {
    await times(4, () => ask(acme, '/v1/memory/export'))
    const answers = Array.from({ length: 201 }, () => ask(acme, '/v1/usage'))
    const refused = await Promise.race(answers)
    expect(refused.statusCode).toBe(429)
    expect(refused.headers['retry-after']).toMatch(/^[1-9]\d*$/)
    const files = (await other.get('/v1/memory/export')).json<MemoryExport>().files
    expect(files).toHaveLength(items + 1)
    expect((await acme.get('/v1/runs')).status).toBe(200)
    for (const incoming of open.splice(0)) incoming.destroy()
    for (const answer of answers) void answer.then((incoming) => incoming.resume())
    await Promise.all(answers)
    expect((await acme.get('/v1/usage')).status).toBe(200)
  })
})

describe('an export of 20 MB', () => {
  test('is written in pieces: the process stays small', async () => {
    const growth = await growthDuring(() => times(4, async () => countBytes(await ask(acme, '/v1/memory/export'))))
    expect(growth).toBeLessThan(96 * mebibyte)
  })

  test('has every item once, and the index first', async () => {
    const { files } = (await acme.get('/v1/memory/export')).json<MemoryExport>()
    expect(files[0]?.path).toBe('index.md')
    expect(files[0]?.content.split('\n').filter((line) => line.startsWith('- ['))).toHaveLength(items)
    expect(new Set(files.map(({ path }) => path)).size).toBe(items + 1)
  })

  test('is listed in whole pages: as many items as the limit says', async () => {
    const page = (await acme.get('/v1/memory/items?limit=200&offset=100')).json<MemoryList>()
    expect(page).toMatchObject({ limit: 200, offset: 100 })
    expect(page.items).toHaveLength(200)
    expect(page.items.every(({ content }) => content.length === 8_000)).toBe(true)
  })
})

describe('an answer above 1 KB', () => {
  const read = async (incoming: IncomingMessage) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
  }

  test.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ])('is compressed with %s if the client accepts it, and is the same', async (encoding, decompress) => {
    for (const path of ['/v1/runs?limit=200', '/v1/memory/items?limit=200', '/v1/memory/export']) {
      const incoming = await ask(acme, path, { 'accept-encoding': encoding })
      expect(incoming.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' })
      const plain = await acme.get(path)
      expect(plain.headers['content-encoding']).toBeUndefined()
      expect(plain.headers.vary).toBe('accept-encoding')
      const [text, expected] = [decompress(await read(incoming)).toString('utf8'), plain.text]
      expect(text.replace(/"request_id":"[^"]+"/, '')).toBe(expected.replace(/"request_id":"[^"]+"/, ''))
    }
  })

  test('has the same headers for HEAD, and no body', async () => {
    const headers = { 'accept-encoding': 'gzip', authorization: bearer(service.key) }
    for (const path of ['/v1/runs?limit=200', '/v1/memory/export']) {
      const reply = await acme.send({ method: 'HEAD', path, headers })
      expect(reply).toMatchObject({ status: 200, text: '', headers: { 'content-encoding': 'gzip' } })
    }
  })

  test('is the only one: small answers, errors and event streams are sent as they are', async () => {
    const headers = { 'accept-encoding': 'gzip, br' }
    const replies = [await acme.get('/v1/runs?limit=1', headers), await acme.get('/v1/runs/nonsense', headers)]
    for (const reply of replies) expect(reply.headers['content-encoding']).toBeUndefined()
    const stream = await ask(acme, `/v1/runs/${longRun}/events/stream`, headers)
    expect(stream.headers['content-encoding']).toBeUndefined()
  })
})
