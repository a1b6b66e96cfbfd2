// A run that begins at one provider and goes on at another, as the fallbacks of the providers file say.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bench, outline, startBench } from '../support/engine.ts'
import { testKey } from '../support/provider-models.ts'
import { type MockProvider, startMockProvider } from '../support/providers/mock-provider.ts'
import { callTools, fail, type NeutralRequest, type Reply, say } from '../support/providers/script.ts'

const folder = mkdtempSync(join(tmpdir(), 'fallback-'))
let bench: Bench
let first: MockProvider
let second: MockProvider

const isJudge = ({ system }: NeutralRequest) => system.startsWith('You judge')
const hasResults = ({ messages }: NeutralRequest) => messages.some(({ toolResults }) => toolResults.length > 0)

/** Its credit ends after the first turn. */
const firstAnswers = (request: NeutralRequest): Reply =>
  isJudge(request) || hasResults(request)
    ? fail('quota_spent')
    : callTools([{ name: 'calculator', args: { expression: '2+2' } }], { reasoning: 'I must add.' })
const secondAnswers = (request: NeutralRequest): Reply =>
  say(isJudge(request) ? JSON.stringify({ decision: 'stop', reason: 'It is done.' }) : 'It is 4.')

beforeAll(async () => {
  first = await startMockProvider('anthropic', firstAnswers, { apiKey: testKey })
  second = await startMockProvider('openai-responses', secondAnswers, { apiKey: testKey })
  const anthropic = { base_url: first.baseUrl, key_env: 'KEY', parameters: { reasoning_effort: 'low' } }
  const other = { format: 'openai', base_url: second.baseUrl, key_env: 'KEY' }
  const models = { 'claude-opus-4-6': { fallbacks: ['other/gpt-5'] } }
  writeFileSync(
    join(folder, 'providers.json'),
    JSON.stringify({ providers: { anthropic: { ...anthropic, models }, other } }),
  )
  bench = await startBench(
    { RUNWRIGHT_PROVIDERS: join(folder, 'providers.json'), RUNWRIGHT_MODEL: 'anthropic/claude-opus-4-6' },
    { environment: { KEY: testKey } },
  )
})
afterAll(async () => {
  await bench.stop()
  await Promise.all([first.close(), second.close()])
  rmSync(folder, { recursive: true })
})

test('the next provider goes on from the tool result, without the reasoning of the first', async () => {
  const { events } = await bench.play({ metadata: {}, routing_hint: 'skip_planning', input: { task: 'What is 2+2?' } })
  expect(outline(events)).toContain('worker continue model_fallback')
  expect(outline(events).at(-1)).toBe('succeeded')
  const [turn] = second.requests
  expect(turn?.messages.map(({ from }) => from)).toEqual(['user', 'assistant', 'tool'])
  expect(JSON.stringify(turn?.body)).not.toContain('I must add.')
  expect([first.refusals, second.refusals]).toEqual([[], []])
})
