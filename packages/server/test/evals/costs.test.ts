// What trials have cost: in the table, in the totals, and in the JSON report.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMockProvider } from '../support/providers/mock-provider.ts'
import { say } from '../support/providers/script.ts'
import { EvalFolder, runPrinted } from './run-eval.ts'

let folder: EvalFolder
beforeAll(async () => {
  folder = await EvalFolder.create()
})
afterAll(() => folder.remove())

const model = 'openai-compatible/scripted'
const hello = 'name: hello\nplan: { steps: [{ instruction: Say hello, judge: never }] }\ninput: {}\ntrials: 2\n'

async function writePrices(models: object): Promise<string> {
  const path = join(folder.path, 'prices.json')
  await writeFile(path, JSON.stringify({ currency: 'EUR', date: '2026-11-01', models }))
  return path
}

type Usage = NonNullable<NonNullable<Parameters<typeof say>[1]>['usage']>
const counted: Usage = { input: 100_000, output: 10_000, cached: 40_000 }

/** Two trials, each of one call. */
async function evaluate(env: Readonly<Record<string, string>>, prices?: string, usage: Usage = counted) {
  const reply = say('Hello.', { usage })
  const provider = await startMockProvider('openai-chat', () => reply)
  const model = {
    RUNWRIGHT_MODEL: 'openai-compatible/scripted',
    OPENAI_COMPATIBLE_BASE_URL: provider.baseUrl,
    OPENAI_COMPATIBLE_API_KEY: 'sk-test',
  }
  try {
    const file = await folder.write(hello)
    return await folder.evaluate([file], prices === undefined ? {} : { prices }, { env: { ...model, ...env } })
  } finally {
    await provider.close()
  }
}

test('the mean of a case, the sum of all trials, the currency and the day of the prices', async () => {
  const { code, out, report } = await evaluate({
    RUNWRIGHT_PRICES: await writePrices({ [model]: { input: 2, cached: 0.5, output: 10 } }),
  })
  expect(code).toBe(0)
  expect(out.split('\n')[0]).toMatch(/^CASE .* TOKENS +EUR +TURNS/)
  expect(out.split('\n')[1]).toMatch(/^hello .* 110000 +0\.240000 +1\.0/)
  expect(out).toMatch(/^All trials: 0\.480000 EUR, with the prices of 2026-11-01\.$/m)
  expect(report.prices).toEqual({ currency: 'EUR', date: '2026-11-01' })
  const costs = report.cases[0]?.trials.map(({ cost, unpriced }) => ({ cost, unpriced }))
  expect(costs).toEqual([0, 1].map(() => ({ cost: expect.closeTo(0.24), unpriced: [] })))
})

test('a model without a price is named, and its tokens are not free', async () => {
  const { out, report } = await evaluate({}, await writePrices({}))
  expect(out).toContain('0.000000 + ?')
  expect(out).toContain(`Not included: 220,000 tokens: the file has no price for ${model}.`)
  expect(report.cases[0]?.trials[0]?.unpriced).toEqual([{ model, reason: 'no_price', tokens: 110_000 }])
})

test('tokens that the server counts only in its total are named', async () => {
  const raw = { prompt_tokens: 100_000, completion_tokens: 20_000, total_tokens: 150_000 }
  const { out, report } = await evaluate({}, await writePrices({ [model]: { input: 2, output: 10 } }), { raw })
  expect(out).toContain(`Not included: 60,000 tokens: ${model} did not say which were input and which output.`)
  expect(report.cases[0]?.trials[0]).toMatchObject({
    cost: expect.closeTo(0.4),
    unpriced: [{ model, reason: 'no_counts', tokens: 30_000 }],
  })
})

test('tokens of the sandbox have no record of a call', async () => {
  const file = await folder.write(
    'name: s\nrouting_hint: skip_planning\ninput: { sandbox: { steps: [{ say: a, tokens: 12 }] } }\n',
  )
  const { out } = await folder.evaluate([file], { prices: await writePrices({}) })
  expect(out).toContain('Not included: 12 tokens: their calls have no record, such as those of the sandbox.')
})

test('without prices, nothing is about money', async () => {
  const { out, report } = await evaluate({})
  expect(out).not.toMatch(/EUR|All trials/)
  expect(Object.keys(report.cases[0]?.trials[0] ?? {})).not.toContain('cost')
  expect(report.prices).toBeUndefined()
})

test('a mistake in the file stops the evaluation before the first trial', async () => {
  const prices = await writePrices({ m: { input: '2', output: 1 } })
  const { code, out, err } = await runPrinted([await folder.write(hello)], { prices })
  expect(err).toBe(`RUNWRIGHT_PRICES: in ${prices}, models.m.input must be a number.`)
  expect([code, out]).toEqual([2, ''])
})
