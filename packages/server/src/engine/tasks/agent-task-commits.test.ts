import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { askFor, executeAgentStep } from '../../../test/support/agent-step.ts'
import { applied, fakeModel, fakeTool, reply } from '../../../test/support/fake-execution.ts'
import { nextTurn } from '../../runtime/next-turn.ts'
import type { ChangeOutcome } from '../../store/run-log/run-change.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** A step whose changes are committed when the test says so. */
function stepWithHeldCommits(effect: 'read' | 'idempotent' | 'once') {
  const tool = fakeTool('use', { effect })
  const made = executeAgentStep([askFor({ name: 'use' }), reply('Done.')], {
    tools: [tool],
    models: { judge: [fakeModel('test/judge')] },
  })
  let commit = () => {}
  const committed = new Promise<ChangeOutcome>((resolve) => {
    commit = () => resolve(applied)
  })
  const sent = new Promise<void>((resolve) => {
    made.log.answer = () => {
      resolve()
      return committed
    }
  })
  return { ...made, tool, sent, commit: () => commit() }
}

describe('a turn whose commit takes long', () => {
  test('does not hold up calls that only read, the next turn, and the judgement', async () => {
    const { end, log, tool, worker } = stepWithHeldCommits('read')
    expect(await end).toMatchObject({ kind: 'succeeded', content: 'Done.' })
    expect([tool.calls.length, worker.requests.length]).toEqual([1, 2])
    expect(log.journal.map(({ key }) => key.replace(/call_\w+/, 'call'))).toEqual([
      'reply:0/a:0',
      'call:call',
      'result:call',
      'reply:0/a:1',
    ])
  })

  test.each(['idempotent', 'once'] as const)('holds up a call that is %s', async (effect) => {
    const { end, tool, sent, commit } = stepWithHeldCommits(effect)
    await sent
    for (let turn = 0; turn < 20; turn += 1) await nextTurn()
    expect(tool.calls).toEqual([])
    commit()
    expect(await end).toMatchObject({ kind: 'succeeded' })
    expect(tool.calls).toHaveLength(1)
  })
})
