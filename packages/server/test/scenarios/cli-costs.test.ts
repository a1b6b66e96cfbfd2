// `runwright costs`: what runs have cost, from the records of usage and a file of prices.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentBench } from '../support/agents.ts'
import { environmentOf, Terminal } from '../support/cli.ts'
import { planned } from '../support/engine.ts'
import { say } from '../support/providers/script.ts'

const folder = await mkdtemp(join(tmpdir(), 'runwright-costs-'))
const prices = join(folder, 'prices.json')
let agents: AgentBench
beforeAll(async () => {
  agents = await AgentBench.start()
})
afterAll(async () => {
  await agents.stop()
  await rm(folder, { recursive: true })
})

const model = 'openai-compatible/gpt-test'
const priced = (models: object) => writeFile(prices, JSON.stringify({ currency: 'EUR', date: '2026-11-01', models }))

async function costs(...args: string[]) {
  const { url, key } = agents.bench.acme
  const env = { ...environmentOf({ url, key: key ?? '' }), RUNWRIGHT_PRICES: prices }
  const pipe = new Terminal(env, { isTTY: false })
  const code = await pipe.run('costs', ...args)
  return { code, out: pipe.output, err: pipe.screen }
}

/** A run with one call. */
async function ranFor(subject: string): Promise<string> {
  const worker = [say('Done.', { usage: { input: 1_000_000, output: 100_000, cached: 400_000 } })]
  const body = { ...planned([{ id: 'a', instruction: 'Do it', judge: 'never' }]), subject_id: subject }
  return (await agents.play({ worker }, body)).id
}

test('costs by run, subject, month and model, with the currency and the day of the prices', async () => {
  const id = await ranFor('ada')
  const other = await ranFor('bob')
  await priced({ [model]: { input: 2, cached: 0.5, output: 10 } })
  const one = 0.6 * 2 + 0.4 * 0.5 + 0.1 * 10
  const { code, out } = await costs(id)
  expect(code).toBe(0)
  expect(out).toContain('Costs in EUR, with the prices of 2026-11-01')
  expect(out).toMatch(new RegExp(`^${id} +1,100,000 +2\\.400000$`, 'm'))
  expect(out).not.toContain('Not included')
  const by = async (what: string) => JSON.parse((await costs('--by', what, '--json')).out)
  const rows = [
    { key: 'ada', cost: expect.closeTo(one), tokens: 1_100_000, unpriced: [] },
    { key: 'bob', cost: expect.closeTo(one), tokens: 1_100_000, unpriced: [] },
  ]
  expect(await by('subject')).toMatchObject({ currency: 'EUR', prices_of: '2026-11-01', by: 'subject', rows })
  expect((await by('model')).rows).toEqual([
    { key: model, cost: expect.closeTo(2 * one), tokens: 2_200_000, unpriced: [] },
  ])
  expect((await by('month')).rows).toMatchObject([{ key: new Date().toISOString().slice(0, 7), tokens: 2_200_000 }])
  expect((await by('run')).rows.map(({ key }: { key: string }) => key)).toEqual([id, other].sort())
})

test('costs stay when a run is removed, and can be narrowed down', async () => {
  const id = await ranFor('eve')
  await priced({ [model]: { input: 2, cached: 0.5, output: 10 } })
  const of = async (...args: string[]) => JSON.parse((await costs('--subject', 'eve', '--json', ...args)).out)
  const [bySubject, byModel] = [await of('--by', 'subject'), await of('--by', 'model')]
  expect(bySubject.total).toMatchObject({ cost: expect.closeTo(2.4), tokens: 1_100_000, unpriced: [] })
  expect((await of('--by', 'run')).rows.map(({ key }: { key: string }) => key)).toEqual([id])
  expect((await of('--end', new Date(Date.now() - 3_600_000).toISOString())).rows).toEqual([])
  expect((await of('--agent', 'nobody')).rows).toEqual([])
  await agents.bench.acme.send({ method: 'DELETE', path: `/v1/runs/${id}` })
  expect(await of('--by', 'subject')).toEqual(bySubject)
  expect(await of('--by', 'model')).toEqual(byModel)
  expect((await of('--by', 'run')).rows).toMatchObject([{ key: 'removed runs', tokens: 1_100_000 }])
  await expect(costs(id)).rejects.toThrow('There is no run with this id')
})

test('a key without usage:read is told so', async () => {
  await priced({})
  const made = await agents.bench.acme.post('/v1/keys', { scopes: ['runs:read'] })
  const { key, secret } = made.json<{ key: { id: string }; secret: string }>()
  const env = { ...environmentOf({ url: agents.bench.acme.url, key: `${key.id}:${secret}` }), RUNWRIGHT_PRICES: prices }
  await expect(new Terminal(env, { isTTY: false }).run('costs')).rejects.toThrow('usage:read')
})

test('a model without a price is named, and the sum says that something is missing', async () => {
  const id = await ranFor('ada')
  await priced({})
  const { out } = await costs(id)
  expect(out).toMatch(/^Total +1,100,000 +0\.000000 \+ \?$/m)
  expect(out).toContain(`Not included: 1,100,000 tokens: the file has no price for ${model}.`)
})

test('tokens that the server counts only in its total are named, also in the sum of several calls', async () => {
  await priced({ [model]: { input: 2, output: 10 } })
  const raw = { prompt_tokens: 100_000, completion_tokens: 20_000, total_tokens: 150_000 }
  const worker = () => say('Done.', { usage: { raw } })
  const steps = ['a', 'b'].map((id) => ({ id, instruction: 'Do it', judge: 'never' as const }))
  const { id } = await agents.play({ worker: [worker(), worker()] }, planned(steps))
  const { out } = await costs(id)
  expect(out).toMatch(/^Total +300,000 +0\.800000 \+ \?$/m)
  expect(out).toContain(`Not included: 60,000 tokens: ${model} did not say which were input and which output.`)
})

test('without a usable file, nothing is read, and one sentence says why', async () => {
  await writeFile(prices, '{"currency": "EUR", "date": "2026-11-01", "models": {"m": {"input": "2"}}}')
  await expect(costs()).rejects.toThrow(`RUNWRIGHT_PRICES: in ${prices}, models.m.input must be a number.`)
  await rm(prices)
  await expect(costs()).rejects.toThrow(prices)
  const bare = new Terminal(environmentOf({ url: agents.bench.acme.url, key: '' }), { isTTY: false })
  await expect(bare.run('costs')).rejects.toThrow('set RUNWRIGHT_PRICES, or use --prices')
})
