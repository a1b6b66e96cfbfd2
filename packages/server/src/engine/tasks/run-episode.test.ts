import { expect, test } from 'vitest'
import { fakeExecution, runId } from '../../../test/support/fake-execution.ts'
import { finish } from '../../domain/finish.ts'
import { journalEntry } from '../../domain/run/journal.ts'
import { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'
import { toWireId } from '../../runtime/ids.ts'
import { runEpisode } from './run-episode.ts'
import type { TaskSucceeded } from './task-end.ts'

const episodeOfRun = (...of: Parameters<typeof runEpisode>) => finish(runEpisode(...of))

const done = (key: string, kind: 'agent' | 'tool' | 'planner', content: string, order: number) =>
  journalEntry('done', key, { stepId: key.slice(2), kind, content, output: null, redacted: false, order })
const called = (name: string) =>
  journalEntry('reply', `0/a:${name}`, {
    text: '',
    calls: [{ callId: name, modelCallId: name, name, input: {} }],
    model: 'test/m',
  })
const plan = {
  goal: 'Pay the invoice',
  steps: [
    { id: 'a', instruction: 'check' },
    { id: 'sum', tool: 'calculator', input: {} },
    { id: 'never', tool: 'http_fetch', input: {} },
  ],
}

test('an episode contains the task, the steps in order, and the tools used', () => {
  const journal = [done('0/sum', 'tool', '391', 1), done('0/a', 'agent', 'It is fine.', 0), called('memory_search')]
  const { context } = fakeExecution({ plan, journal })
  const episode = episodeOfRun(context)
  expect(episode).toMatchObject({ kind: 'episode', harness: true, tags: ['memory_search', 'calculator'] })
  expect(episode.title).toBe(`Run ${toWireId('run', runId)}: Pay the invoice`)
  expect(episode.content).toBe(
    [
      'Goal: Pay the invoice',
      'Input: {"question":"How much?"}',
      '- a: It is fine.',
      '- sum: 391',
      'Tools: memory_search, calculator',
    ].join('\n'),
  )
})

test('an episode contains the step that just ended, but no planner steps', () => {
  const { context, tasks } = fakeExecution({ journal: [done('1/planner', 'planner', 'Planned.', 0)] })
  const [task] = tasks()
  const { content } = episodeOfRun(context, { task, content: 'The last word.' } as TaskSucceeded)
  expect(content).toContain('- #0: The last word.')
  expect(content).not.toContain('Planned')
})

test('a tool step that just ended counts among the tools', () => {
  const { context, tasks } = fakeExecution({ plan, journal: [done('0/a', 'agent', '', 0)] })
  const [task] = tasks()
  expect(task?.stepId).toBe('sum')
  expect(episodeOfRun(context).tags).toEqual([])
  expect(episodeOfRun(context, { task, content: '391' } as TaskSucceeded).tags).toEqual(['calculator'])
})

test('an episode contains no secrets', () => {
  const document = { input: { pin: 'correct horse' }, metadata: {} }
  const secrets = SecretKeeper.find(document, [{ path: '$.input.pin', classification: 'pii' }])
  const { context } = fakeExecution({
    run: { ...document, secrets },
    plan: { ...plan, goal: 'Use {{secret:$.input.pin}}' },
    journal: [done('0/a', 'agent', 'It is {{secret:$.input.pin}}', 0)],
  })
  const text = JSON.stringify(episodeOfRun(context))
  expect(text).toContain('Use ***')
  expect(text).toContain('It is ***')
  expect(text).not.toMatch(/horse|secret:/)
})
