// What the board shows of a run while it calls models and tools.
import { expect, test } from 'vitest'
import { fakeExecution, fakeTool, reply, runId } from '../../../test/support/fake-execution.ts'
import type { ModelRequest } from '../../models/port/model.ts'
import { toWireId } from '../../runtime/ids.ts'
import { readBoard } from '../../runtime/watchdog/watch.mjs'
import { WorkBoard } from '../../runtime/watchdog/work-board.ts'
import type { ToolCallContext } from '../../tools/port/tool.ts'

const run_id = toWireId('run', runId)

function watched() {
  const board = new WorkBoard(1)
  board.open(runId)
  const seen: unknown[] = []
  const look = () => void seen.push(readBoard(board))
  const phase = () => readBoard(board).runs[0]?.phase
  const onTool = { run: async () => void look() }
  const model = {
    name: 'a',
    contextTokens: 1_000,
    respond: async () => {
      look()
      return reply('done')
    },
  }
  const tools = [fakeTool('pay', onTool), fakeTool('fail', { run: () => Promise.reject(new Error('no')) })]
  const { context } = fakeExecution({ tools, models: { judge: [model] }, parts: { board } })
  const call = (name: string) => context.catalogue.find(name)?.run({}, {} as ToolCallContext)
  return { context, board, call, seen, phase }
}

test('a call to a model names the role, and what follows it is reading the answer', async () => {
  const { context, seen, phase } = watched()
  await context.models.judge[0]?.respond({ role: 'judge', messages: [], tools: [] } as unknown as ModelRequest)
  expect(seen).toEqual([{ runs: [{ run_id, phase: 'judge: model call' }] }])
  expect(phase()).toBe('judge: reading the answer')
})

test('a tool call names the tool, and its run is the one that blocks until the first wait of the tool', async () => {
  const { board, call, seen, phase } = watched()
  const ended = call('pay')
  expect(seen).toEqual([{ blocked_by: run_id, runs: [{ run_id, phase: 'tool call: pay' }] }])
  expect(readBoard(board)).toEqual({ runs: [{ run_id, phase: 'tool call: pay' }] })
  await ended
  expect(phase()).toBe('result of pay')
})

test('a tool call that fails ends, too', async () => {
  const { call, phase } = watched()
  await expect(call('fail')).rejects.toThrow('no')
  expect(phase()).toBe('result of fail')
})
