import { expect, test } from 'vitest'
import { type EpisodeFacts, episodeOf } from './episode.ts'

const facts = (changes: Partial<EpisodeFacts> = {}): EpisodeFacts => ({
  runId: 'run_1',
  goal: undefined,
  input: {},
  steps: [],
  tools: [],
  ...changes,
})

test('an episode contains the task, the steps and the tools used', () => {
  const steps = [
    { stepId: 'research', content: 'It costs\n10 euros.' },
    { stepId: 'total', content: '{"result":12}' },
  ]
  const tools = ['http_fetch', 'calculator', 'http_fetch']
  expect(episodeOf(facts({ goal: 'Find the price', input: { item: 'chair' }, steps, tools }))).toEqual({
    title: 'Run run_1: Find the price',
    content: [
      'Goal: Find the price',
      'Input: {"item":"chair"}',
      '- research: It costs 10 euros.',
      '- total: {"result":12}',
      'Tools: http_fetch, calculator',
    ].join('\n'),
    tags: ['http_fetch', 'calculator'],
  })
})

test('the title contains the id of the run, so it is unique', () => {
  expect(episodeOf(facts()).title).toBe('Run run_1')
  expect(episodeOf(facts({ runId: 'run_2' })).title).toBe('Run run_2')
})

test('a goal that is cut ends with a mark, in the title and in the text', () => {
  const episode = episodeOf(facts({ goal: 'x'.repeat(600) }))
  expect(episode.title).toBe(`Run run_1: ${'x'.repeat(80)}…`)
  expect(episode.content).toBe(`Goal: ${'x'.repeat(500)}…`)
})

test('the script of a rehearsal is left out', () => {
  expect(episodeOf(facts({ input: { sandbox: { steps: [] } } })).content).toBe('')
  expect(episodeOf(facts({ input: { sandbox: { steps: [] }, task: 'x' } })).content).toBe('Input: {"task":"x"}')
})

test('of many steps, the last ones are kept', () => {
  const steps = Array.from({ length: 12 }, (_, n) => ({ stepId: `s${n}`, content: 'done' }))
  const lines = episodeOf(facts({ steps })).content.split('\n')
  expect(lines).toHaveLength(11)
  expect(lines.slice(0, 2)).toEqual(['2 more steps before these:', '- s2: done'])
})

test('an episode has at most a few kilobytes, however large the run was', () => {
  const long = '😀'.repeat(100_000)
  const steps = Array.from({ length: 200 }, () => ({ stepId: long, content: long }))
  const tools = Array.from({ length: 500 }, (_, n) => `tool_${n}`)
  const episode = episodeOf(facts({ goal: long, input: { long }, steps, tools }))
  expect(Buffer.byteLength(JSON.stringify(episode))).toBeLessThan(20_000)
  expect(episode.tags).toHaveLength(20)
  expect(JSON.stringify(episode)).not.toMatch(/\\ud83d(?!\\u)/)
})
