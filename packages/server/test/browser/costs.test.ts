// What the console shows of costs, and who may read the prices and tokens that it computes them from.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KeyWithSecret } from '@runwright/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import { planned, untilEnded } from '../support/engine.ts'
import { Caller } from '../support/http.ts'
import { startMockProvider } from '../support/providers/mock-provider.ts'
import { say } from '../support/providers/script.ts'
import { recordUsages } from '../support/usage.ts'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const folder = await mkdtemp(join(tmpdir(), 'runwright-console-costs-'))
const usage = { input: 1_000_000, output: 100_000, cached: 400_000 }
const provider = await startMockProvider('openai-chat', () => say('Done.', { usage }))
afterAll(async () => {
  await provider.close()
  await rm(folder, { recursive: true })
})

const [model, other] = ['openai-compatible/gpt-test', 'openai-compatible/unknown']
const prices = {
  currency: 'EUR',
  date: '2026-11-01',
  models: { [model]: { input: 2, cached: 0.5, output: 10 } },
}
await writeFile(join(folder, 'prices.json'), JSON.stringify(prices))
await writeFile(join(folder, 'clerk.md'), '---\ndescription: Files papers.\njudge: never\n---\nFile them.\n')

const { service, caller, arrive } = await openConsole(
  {
    RUNWRIGHT_MODEL: model,
    RUNWRIGHT_PRICES: join(folder, 'prices.json'),
    RUNWRIGHT_AGENTS_DIR: folder,
  },
  {
    worker: true,
    environment: { OPENAI_COMPATIBLE_BASE_URL: provider.baseUrl, OPENAI_COMPATIBLE_API_KEY: 'sk-test' },
  },
)
/** Of one call: 0.6 × 2 + 0.4 × 0.5 + 0.1 × 10. */
const { id } = await caller.newRun({
  ...planned([{ id: 'a', instruction: 'File it', agent: 'clerk', judge: 'never' }]),
  metadata: { agent: 'clerk' },
  subject_id: 'ada',
})
await untilEnded(caller, id)

const tokens = { eventType: 'tokens.consumed', at: new Date().toISOString() }
await recordUsages(service.database, 'acme', [
  { ...tokens, quantity: 500_000, subjectId: 'ben', details: { model, input: 500_000, output: 0 } },
  { ...tokens, quantity: 1_234, subjectId: 'ben', details: { model: other, input: 1_000, output: 234 } },
  { ...tokens, quantity: 42 },
])
await recordUsages(service.database, 'other', [{ ...tokens, quantity: 77, details: { model, input: 77, output: 0 } }])

const costTable = async ({ page }: Visitor, by: string) => {
  const table = page.getByRole('region', { name: `Costs by ${by}`, exact: true })
  await table.waitFor()
  return (await table.locator('tbody').innerText()).split('\n').map((line) => line.split('\t'))
}

describe('the page of a run', () => {
  test('shows the cost, with the day of the prices', async () => {
    const person = await arrive({ hash: `#/runs/${id}` })
    const summary = person.page.getByRole('region', { name: 'Summary' })
    await summary.getByText('€2.40').waitFor()
    expect(await summary.innerText()).toContain('€2.40 with the prices of 1 Nov 2026')
    expect(await summary.innerText()).not.toContain('Not included')
    await person.hasNoAxeFindings()
  })

  test('names a model without a price, and its tokens are not free', async () => {
    const bare = await caller.newRun(planned([{ id: 'a', instruction: 'Do it', judge: 'never' }]))
    await untilEnded(caller, bare.id)
    await service.database.run({
      text: `update usage_rows set details = jsonb_set(details::jsonb, '{model}', to_jsonb($2::text))::json
        where run_id = $1 and event_type = 'tokens.consumed'`,
      values: [fromWireId('run', bare.id), other],
    })
    const person = await arrive({ hash: `#/runs/${bare.id}` })
    await person.sees('€0.00 + ?')
    await person.sees(`Not included: 1,100,000 tokens: the file has no price for ${other}.`)
    await service.database.run({
      text: 'delete from usage_rows where run_id = $1',
      values: [fromWireId('run', bare.id)],
    })
  })
})

describe('the comparison of two runs', () => {
  const costRow = ({ page }: Visitor) =>
    page.getByRole('region', { name: 'Facts of both runs' }).getByRole('row').filter({ hasText: '€' })

  test('shows the cost of both and the difference', async () => {
    const dear = await caller.newRun({
      ...planned([{ id: 'a', instruction: 'File it', judge: 'never' }]),
      workspace_id: 'compared',
    })
    await untilEnded(caller, dear.id)
    await service.database.run({
      text: `update usage_rows set details = $1, quantity = 480000
        where workspace_id = 'compared' and event_type = 'tokens.consumed'`,
      values: [JSON.stringify({ model, input: 0, output: 480_000 })],
    })
    const person = await arrive({ hash: `#/compare?left=${id}&right=${dear.id}` })
    await expect
      .poll(() => costRow(person).innerText())
      .toMatch(/^Cost\s+€2\.40 with.*€4\.80 with.*\+€2\.40 \(\+100\s%\)$/s)
    await person.takePicture('compare-costs')
    await person.hasNoAxeFindings()
    await service.database.run({ text: "delete from usage_rows where workspace_id = 'compared'" })
  })

  test('a run with tokens that have no price has no difference', async () => {
    const bare = await caller.newRun({ ...planned([{ id: 'a', instruction: 'Do it' }]), workspace_id: 'compared' })
    await untilEnded(caller, bare.id)
    await service.database.run({ text: "update usage_rows set details = null where workspace_id = 'compared'" })
    const person = await arrive({ hash: `#/compare?left=${id}&right=${bare.id}` })
    await costRow(person).getByText('not known').waitFor()
    expect(await costRow(person).innerText()).toContain('€0.00 + ?')
    await service.database.run({ text: "delete from usage_rows where workspace_id = 'compared'" })
  })
})

describe('the usage page', () => {
  test('shows costs by agent, and what is not known of tokens', async () => {
    const person = await arrive({ hash: '#/usage' })
    expect(await costTable(person, 'agent')).toEqual([
      ['clerk', '1,100,000', '€2.40'],
      ['no agent', '501,276', '€1.00 + ?'],
      ['Total', '1,601,276', '€3.40 + ?'],
    ])
    await person.sees('in EUR, with the prices of 1 Nov 2026')
    await person.sees(`Not included: 1,234 tokens: the file has no price for ${other}.`)
    await person.sees('Not included: 42 tokens: their calls have no record, such as those of the sandbox.')
    await person.takePicture('usage-costs')
  })

  test('by subject, month, workspace and model, each by its own address', async () => {
    const person = await arrive({ hash: '#/usage' })
    await person.page.getByRole('navigation', { name: 'Costs by' }).getByRole('link', { name: 'Subject' }).click()
    expect(await costTable(person, 'subject')).toEqual([
      ['ada', '1,100,000', '€2.40'],
      ['ben', '501,234', '€1.00 + ?'],
      ['no subject', '42', '€0.00 + ?'],
      ['Total', '1,601,276', '€3.40 + ?'],
    ])
    expect(person.page.url()).toContain('costs=subject')
    await person.goTo('#/usage?costs=month')
    const month = new Date().toISOString().slice(0, 7)
    expect((await costTable(person, 'month'))[0]).toEqual([month, '1,601,276', '€3.40 + ?'])
    await person.goTo('#/usage?costs=model&subject_id=ben')
    expect(await costTable(person, 'model')).toEqual([
      [model, '500,000', '€1.00'],
      [other, '1,234', '€0.00 + ?'],
      ['Total', '501,234', '€1.00 + ?'],
    ])
    await person.goTo('#/usage?costs=workspace')
    expect((await costTable(person, 'workspace'))[0]).toEqual(['no workspace', '1,601,276', '€3.40 + ?'])
  })

  test('by run, with links, and runs that were removed together', async () => {
    const steps = [{ id: 'a', instruction: 'File it', agent: 'clerk', judge: 'never' as const }]
    const gone = await caller.newRun({ ...planned(steps), metadata: { agent: 'clerk' }, workspace_id: 'gone' })
    await untilEnded(caller, gone.id)
    const person = await arrive({ hash: '#/usage?costs=run&workspace_id=gone' })
    expect(await costTable(person, 'run')).toEqual([
      [gone.id, '1,100,000', '€2.40'],
      ['Total', '1,100,000', '€2.40'],
    ])
    const before: string[][][] = []
    const after: string[][][] = []
    const look = async (tables: string[][][]) => {
      for (const by of ['agent', 'model', 'month']) {
        const visitor = await arrive({ hash: `#/usage?costs=${by}&workspace_id=gone` })
        tables.push(await costTable(visitor, by))
      }
    }
    await look(before)
    expect((await caller.send({ method: 'DELETE', path: `/v1/runs/${gone.id}` })).status).toBe(200)
    await look(after)
    expect(after).toEqual(before)
    expect(after[0]?.[0]).toEqual(['clerk', '1,100,000', '€2.40'])
    await person.page.reload()
    expect((await costTable(person, 'run'))[0]).toEqual(['removed runs', '1,100,000', '€2.40'])
    await person.goTo('#/usage?costs=run')
    await person.page.getByRole('link', { name: id }).click()
    await person.sees('Duration')
    await service.database.run({ text: "delete from removed_usage where workspace_id = 'gone'" })
  })

  test('the page is clean for axe and fits on a phone', async () => {
    const person = await arrive({ hash: '#/usage?costs=model', options: phone })
    await costTable(person, 'model')
    await person.hasNoAxeFindings()
    await person.fitsOnScreen()
  })

  test('beyond a hundred subjects, the others are added up', async () => {
    const subjects = Array.from({ length: 130 }, (_, n) => ({
      ...tokens,
      workspaceId: 'crowd',
      subjectId: `s${n}`,
      quantity: 1_000 + n,
      details: { model, input: 1_000 + n, output: 0 },
    }))
    await recordUsages(service.database, 'acme', subjects)
    const person = await arrive({ hash: '#/usage?costs=subject&workspace_id=crowd' })
    const rows = await costTable(person, 'subject')
    expect(rows).toHaveLength(102)
    expect(rows[0]?.slice(0, 2)).toEqual(['s129', '1,129'])
    const all = subjects.reduce((sum, { quantity }) => sum + quantity, 0)
    const largest = subjects.slice(30).reduce((sum, { quantity }) => sum + quantity, 0)
    expect(rows[100]?.slice(0, 2)).toEqual(['all others', (all - largest).toLocaleString('en')])
    expect(rows[101]?.slice(0, 2)).toEqual(['Total', all.toLocaleString('en')])
    await service.database.run({ text: "delete from usage_rows where workspace_id = 'crowd'" })
  })
})

describe('who may read what the costs are computed from', () => {
  const paths = () => ['/console/prices', `/console/model-tokens/${id}`, '/console/model-tokens?by=agent']

  test('another customer reads its own tokens only, also of a run whose id it knows', async () => {
    const stranger = new Caller(service.url, service.otherKey)
    expect((await stranger.get(`/console/model-tokens/${id}`)).json()).toEqual({ rows: [] })
    expect((await stranger.get('/console/model-tokens?by=model')).json()).toEqual({
      rows: [{ key: model, is_rest: false, model, tokens: { total: 77, input: 77, output: 0 } }],
    })
  })

  test('a key needs usage:read, and a token is refused', async () => {
    const { key, secret } = (await caller.post('/v1/keys', { scopes: ['runs:read'] })).json<KeyWithSecret>()
    const narrow = new Caller(service.url, `${key.id}:${secret}`)
    const issuing = (await caller.post('/v1/keys', { scopes: ['tokens:create', 'usage:read'] })).json<KeyWithSecret>()
    const issuer = new Caller(service.url, `${issuing.key.id}:${issuing.secret}`)
    const made = await issuer.post('/v1/tokens', {
      scopes: ['usage:read'],
      expires_in: 60,
      subject_id: 'ada',
    })
    expect(made.status, made.text).toBe(200)
    const holder = new Caller(service.url, made.json<{ token: string }>().token)
    for (const path of paths()) {
      expect([path, (await narrow.get(path)).json()]).toMatchObject([path, { reason_code: 'SCOPE_DENIED' }])
      expect([path, (await holder.get(path)).json()]).toMatchObject([path, { reason_code: 'TOKEN_LIMITED' }])
      expect((await new Caller(service.url, null).get(path)).status).toBe(401)
    }
    const person = await arrive({ hash: `#/runs/${id}`, key: `${key.id}:${secret}` })
    await person.sees('Duration')
    expect(person.requests.filter((url) => /console\/(prices|model-tokens)/.test(url))).toEqual([])
  })

  test('a query is checked, and no route of the API has prices', async () => {
    const refused = await caller.get(`/console/model-tokens?by=${randomUUID()}`)
    expect(refused.json()).toMatchObject({ reason_code: 'USAGE_QUERY_PARAMS_INVALID' })
    const run = await caller.get(`/v1/runs/${id}?include=usage,steps,agent`)
    expect(run.text).not.toMatch(/EUR|price|cost"/)
    expect((await caller.get('/v1/usage/events')).text).not.toMatch(/EUR|price|cost"/)
  })
})
