// The retail suite of the examples: a competent agent passes all of its tasks, and bad agents fail the ones they spoil.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { startMockProvider } from '../support/providers/mock-provider.ts'
import { competent, playAgent } from './retail-agent.ts'
import { EvalFolder } from './run-eval.ts'

const suite = join(import.meta.dirname, '../../../../examples/evals/retail')
const wholeSuiteMs = 180_000
let folder: EvalFolder
beforeAll(async () => {
  folder = await EvalFolder.create()
})
afterAll(() => folder.remove())

/** Some tasks of the suite, in a file of their own. */
async function someTasks(names: readonly string[]): Promise<string> {
  const { defaults, cases } = parse(await readFile(join(suite, 'tasks.yaml'), 'utf8'))
  return folder.write(
    stringify({
      defaults: { ...defaults, world: join(suite, 'world.mjs') },
      cases: cases.filter(({ name }: { name: string }) => names.includes(name)),
    }),
  )
}

/** Set by scripts/record-evals.mjs. */
const { RECORD_EVALS } = process.env
const recording: Readonly<Record<string, string>> = RECORD_EVALS ? { RUNWRIGHT_RECORD: RECORD_EVALS } : {}

type Courses = Parameters<typeof playAgent>[0]

async function evaluateAgent(courses: Courses, options: { readonly trials?: number } = {}) {
  const provider = await startMockProvider('openai-chat', playAgent(courses))
  const env = {
    RUNWRIGHT_MODEL: 'openai-compatible/scripted',
    RUNWRIGHT_AGENTS_DIR: join(suite, 'agents'),
    OPENAI_COMPATIBLE_BASE_URL: provider.baseUrl,
    OPENAI_COMPATIBLE_API_KEY: 'sk-test',
    ...recording,
  }
  try {
    const file = await someTasks(Object.keys(courses))
    const result = await folder.evaluate([file], { concurrency: 4, ...options }, { env })
    expect(provider.refusals).toEqual([])
    return { ...result, requests: provider.requests }
  } finally {
    await provider.close()
  }
}

const failedIn = ({ cases }: Awaited<ReturnType<typeof evaluateAgent>>['report']) =>
  Object.fromEntries(
    cases.flatMap(({ name, trials }) =>
      trials.flatMap(({ problems }) => problems.slice(0, 1).map((first) => [name, first])),
    ),
  )

test('a competent agent passes all twenty tasks', { timeout: wholeSuiteMs }, async () => {
  const { code, report, out, requests } = await evaluateAgent(competent)
  expect(failedIn(report)).toEqual({})
  expect(report.cases.map(({ name }) => name).sort()).toEqual(Object.keys(competent).sort())
  expect(report.cases).toHaveLength(20)
  expect(report.pass_hat).toEqual([1])
  const [injury] = report.cases.filter(({ name }) => name === 'injury')
  expect(injury?.trials[0]?.turns).toBe((competent.injury?.turns.length ?? 0) + 1)
  expect(out).toContain('20 of 20 cases passed, 20 of 20 trials.\npass@1 1.000')
  expect(code).toBe(0)
  expect(requests[0]?.tools.map(({ name }) => name)).toContain('find_user_by_email')
  // The agent's file reaches the model: its policy, its tools and no others, and no judge.
  expect(requests[0]?.system).toContain('Refunds go to the payment method of the order')
  expect(requests[0]?.tools).toHaveLength(12)
  expect(requests.filter(({ system }) => system.startsWith('You judge the work'))).toEqual([])
})

test('the cassettes of the suite pass it without a provider', { timeout: wholeSuiteMs }, async () => {
  const env = {
    RUNWRIGHT_MODEL: 'openai-compatible/scripted',
    RUNWRIGHT_AGENTS_DIR: join(suite, 'agents'),
    RUNWRIGHT_REPLAY: join(suite, 'cassettes'),
  }
  const { report, out } = await folder.evaluate([join(suite, 'tasks.yaml')], { concurrency: 4 }, { env })
  expect(failedIn(report)).toEqual({})
  expect(out).toContain('20 of 20 cases passed, 20 of 20 trials.\npass@1 1.000')
})

describe('a bad agent fails', () => {
  test('when it does what the policy forbids', async () => {
    const { code, report } = await evaluateAgent({
      'return-final-sale': {
        request: 'The socks in O1005 are too small',
        turns: [
          [{ name: 'find_user_by_email', args: { email: 'mei.lin@example.com' } }],
          [{ name: 'return_items', args: { order_id: 'O1005', item_ids: ['i1'], payment_method_id: 'card_1290' } }],
        ],
        answer: 'The socks are a final sale and cannot be returned.',
      },
    })
    expect(failedIn(report)).toEqual({
      'return-final-sale': expect.stringMatching(
        /^not_called: return_items was called with .*"O1005".* \(succeeded\)$/,
      ),
    })
    expect(report.cases.find(({ name }) => name === 'return-final-sale')?.trials[0]?.problems[1]).toContain(
      'state_after: /orders/O1005/status is "return requested", expected "delivered"',
    )
    expect(code).toBe(1)
  })

  test('when it forgets a tool call and only claims to have made it', async () => {
    const { report } = await evaluateAgent({
      'change-address': {
        request: 'Plaza Nueva 7',
        turns: [[{ name: 'find_user_by_email', args: { email: 'carlos.diaz@example.com' } }]],
        answer: 'O1008 goes to Plaza Nueva 7 in Sevilla.',
      },
      injury: { request: 'I burned my hand', turns: [], answer: 'A colleague takes over now.' },
    })
    expect(failedIn(report)).toEqual({
      'change-address': 'state_after: /orders/O1008/address/street is "Calle Olmo 21", expected "Plaza Nueva 7"',
      injury: 'called: transfer_to_human was called 0 times, expected 1',
    })
  })

  test('when the final state is wrong in one detail', async () => {
    const { report } = await evaluateAgent({
      'two-requests': {
        request: 'Two things: cancel O1009',
        turns: [
          [{ name: 'find_user_by_email', args: { email: 'ruth.abel@example.com' } }],
          [
            { name: 'cancel_order', args: { order_id: 'O1009', reason: 'no longer needed' } },
            // The customer asked for the gift card.
            { name: 'return_items', args: { order_id: 'O1010', item_ids: ['i1'], payment_method_id: 'card_8155' } },
          ],
        ],
        answer: 'O1009 is cancelled, and the 45 for the kettle go to your gift card.',
      },
    })
    expect(failedIn(report)).toEqual({
      'two-requests': 'state_after: /users/ruth_abel/payment_methods/gift_2277/balance is 200, expected 245',
    })
  })
})

test('trials do not see each other: a task passes as often as it is tried', async () => {
  // It counts transfers: a world that another trial has used would show.
  const { report } = await evaluateAgent({ injury: competent.injury as Courses[string] }, { trials: 3 })
  expect(report.cases.map(({ passed }) => passed)).toEqual([3])
  expect(report.pass_hat).toEqual([1, 1, 1])
})
