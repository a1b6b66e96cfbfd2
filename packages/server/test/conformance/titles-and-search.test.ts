// The title that a run gets when it is created, and the searches of GET /v1/runs that no index serves.
import type { ListedRun, RunDetail, RunList } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Driver } from '../support/drive.ts'
import { Caller } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
let other: Caller
let driver: Driver
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
  other = new Caller(service.url, service.otherKey)
  driver = new Driver(service.database)
})
afterAll(() => service.stop())

const list = async (query: string, caller = acme) => (await caller.get(`/v1/runs?${query}`)).json<RunList>()
const idsOf = (runs: readonly ListedRun[]) => runs.map(({ id }) => id)
const titleOf = async (id: string) => (await acme.get(`/v1/runs/${id}?include=title`)).json<RunDetail>().title
const titled = (title: string) => acme.newRun({ metadata: { title } })

describe('the title', () => {
  const plan = { version: 'v2', goal: 'Order chairs', steps: [{ instruction: 'Compare the offers.' }] }

  test.each([
    ['metadata.title', { metadata: { title: ' Office\n chairs ' }, input: { goal: 'Buy' } }, 'Office chairs'],
    ['the goal of the input', { input: { goal: 'Buy chairs' }, plan }, 'Buy chairs'],
    ['the goal of the plan', { input: { note: 'Soon' }, plan }, 'Order chairs'],
    ['the first text of the input', { input: { offers: [1, { by: 'Smith' }] } }, 'Smith'],
    ['nothing', { input: { n: 1 } }, null],
  ])('comes from %s, in get and in a list', async (_, body, title) => {
    const { id } = await acme.newRun(body)
    expect(await titleOf(id)).toBe(title)
    const [listed] = (await list('include=title&limit=1')).runs
    expect(listed).toMatchObject({ id, title })
  })

  test('has no tagged value, wherever it is written', async () => {
    const secret = 'correct-horse-battery'
    const sensitivity_tags = [{ path: '$.input.pin', classification: 'credential' }]
    const input = { goal: 'Log in', pin: secret }
    const made = [
      await acme.newRun({ input, metadata: { title: `Use ${secret}` }, sensitivity_tags }),
      await acme.newRun({
        input: { ...input, goal: `Use ${Buffer.from(secret).toString('base64')}` },
        sensitivity_tags,
      }),
      await acme.newRun({
        input: { pin: secret },
        sensitivity_tags,
        plan: { ...plan, goal: `Use {{${secret}}} or ${secret}` },
      }),
      await acme.newRun({ input: { pin: secret, note: 'A note' }, sensitivity_tags }),
      await acme.newRun({
        input: { goal: 'Log in' },
        metadata: { title: secret },
        sensitivity_tags: [{ path: '$.metadata.title', classification: 'pii', redaction: 'drop' }],
      }),
    ]
    const titles = await Promise.all(made.map(({ id }) => titleOf(id)))
    expect(titles).toEqual(['Use ***', 'Use ***', 'Use {{***}} or ***', 'A note', 'Log in'])
    expect(idsOf((await list('q=horse')).runs)).toEqual([])
  })

  test('stays the same when the run is retried', async () => {
    const { id } = await titled('Try it')
    await driver.toFailed(id)
    await acme.post(`/v1/runs/${id}/retry`)
    expect(await titleOf(id)).toBe('Try it')
  })
})

describe('q', () => {
  test('finds runs whose title has all words, in any order and case', async () => {
    const { id } = await titled('Vergleiche zwei ÄPFEL mit 100% Birnen_x')
    await titled('Vergleiche Birnen')
    for (const q of ['äpfel', 'BIRNEN äpfel', 'pfe', '100%', 'birnen_x', ' zwei  vergleiche ']) {
      expect(idsOf((await list(`q=${encodeURIComponent(q)}`)).runs), q).toEqual([id])
    }
    for (const q of ['äpfel pflaume', 'ä_fel', '%']) {
      expect(idsOf((await list(`q=${encodeURIComponent(q)}&created_before=2000-01-01T00:00:00Z`)).runs)).toEqual([])
    }
  })

  test('finds a run by its id or by 8 or more characters of its beginning', async () => {
    const { id } = await acme.newRun()
    for (const q of [id, ` ${id} `, id.slice(0, -1), id.slice(4, -1), id.slice(0, -1).toUpperCase()]) {
      expect(idsOf((await list(`q=${encodeURIComponent(q)}`)).runs), q).toEqual([id])
    }
    expect(idsOf((await list(`q=${id.slice(0, 8)}`)).runs)).toContain(id)
    expect(idsOf((await list(`q=${id.slice(0, 7)}`)).runs)).toEqual([])
    expect(idsOf((await list(`q=${id}&status=failed`)).runs)).toEqual([])
  })

  test('finds nothing of another customer', async () => {
    const { id } = await titled('Quarterly figures')
    for (const q of [id, id.slice(0, 20), 'quarterly']) expect((await list(`q=${q}`, other)).runs).toEqual([])
  })

  test('combines with other filters and with pages', async () => {
    const made: string[] = []
    for (const n of [1, 2, 3]) made.unshift((await titled(`Paged ${n}`)).id)
    const first = await list('q=paged&limit=2&status=queued')
    expect(idsOf(first.runs)).toEqual(made.slice(0, 2))
    const next = await list(`q=paged&limit=2&status=queued&cursor=${first.next_cursor}`)
    expect([idsOf(next.runs), next.next_cursor]).toEqual([made.slice(2), null])
  })
})

describe('error', () => {
  test('finds failed runs by the reason code that include=failure shows', async () => {
    const [failed, exceeded] = [(await acme.newRun()).id, (await acme.newRun()).id]
    await driver.toFailed(failed, 'tool_failed')
    await driver.toLimitExceeded(exceeded)
    for (const [error, id] of [
      ['tool_failed', failed],
      ['cost_ceiling', exceeded],
    ]) {
      const { runs } = await list(`error=${error}&include=failure`)
      expect(runs).toEqual([expect.objectContaining({ id, failure: expect.objectContaining({ reason_code: error }) })])
    }
    expect((await list('error=provider_auth')).runs).toEqual([])
    expect((await list('error=tool_failed&status=queued')).runs).toEqual([])
    expect((await list('error=tool_failed', other)).runs).toEqual([])
  })

  test('is that of the last attempt: a run that is retried is not found any more', async () => {
    const { id } = await acme.newRun()
    await driver.toFailed(id, 'provider_auth')
    expect(idsOf((await list('error=provider_auth')).runs)).toEqual([id])
    await acme.post(`/v1/runs/${id}/retry`)
    expect((await list('error=provider_auth')).runs).toEqual([])
    await driver.toFailed(id, 'internal_error')
    expect((await list('error=provider_auth')).runs).toEqual([])
    expect(idsOf((await list('error=internal_error')).runs)).toEqual([id])
  })
})
