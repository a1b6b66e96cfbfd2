// What the watchdog reads of the board when the event loop is blocked.
import { expect, test } from 'vitest'
import { fromWireId, newWireId } from '../ids.ts'
import { readBoard } from './watch.mjs'
import { WorkBoard } from './work-board.ts'

const newRun = () => {
  const name = newWireId('run')
  return { name, id: fromWireId('run', name) as string }
}

test('has a line for each run, with what it does now', () => {
  const board = new WorkBoard(2)
  const [a, b] = [newRun(), newRun()]
  board.open(a.id)
  const line = board.open(b.id)
  line.enter('planner: model call')
  line.enter('tool call: http_fetch')
  expect(readBoard(board)).toEqual({
    runs: [
      { run_id: a.name, phase: 'start' },
      { run_id: b.name, phase: 'tool call: http_fetch' },
    ],
  })
})

test('names the run whose synchronous work is under way, and what it does, only as long as that lasts', () => {
  const board = new WorkBoard(2)
  const [a, b] = [newRun(), newRun()]
  const [lineA, lineB] = [board.open(a.id), board.open(b.id)]
  lineA.enter('worker: model call')
  const inner = lineA.during('outer', () => {
    const seen = lineB.during('inner', () => readBoard(board))
    expect(readBoard(board)).toMatchObject({ blocked_by: a.name })
    return seen
  })
  expect(inner).toEqual({
    blocked_by: b.name,
    runs: [
      { run_id: a.name, phase: 'outer' },
      { run_id: b.name, phase: 'inner' },
    ],
  })
  expect(readBoard(board).runs[0]).toEqual({ run_id: a.name, phase: 'worker: model call' })
  expect(readBoard(board)).not.toHaveProperty('blocked_by')
})

test('does not name a run whose work has failed', () => {
  const board = new WorkBoard(2)
  const line = board.open(newRun().id)
  const fails = () =>
    line.during('work', () => {
      throw new Error('no')
    })
  expect(fails).toThrow('no')
  expect(readBoard(board)).not.toHaveProperty('blocked_by')
})

test('gives the line of a run that has ended to another one, once', () => {
  const board = new WorkBoard(2)
  const [a, b, c] = [newRun(), newRun(), newRun()]
  const line = board.open(a.id)
  line.clear()
  board.open(b.id)
  line.clear()
  board.open(c.id)
  expect(readBoard(board).runs.map(({ run_id }) => run_id)).toEqual([b.name, c.name])
})

test('finds the newest line of a run, also when an older one ends', () => {
  const board = new WorkBoard(2)
  const run = newRun()
  const older = board.open(run.id)
  const newer = board.open(run.id)
  older.clear()
  expect(board.lineOf(run.id)).toBe(newer)
  newer.clear()
  expect(board.lineOf(run.id)).toBeUndefined()
})

test('says how many runs have no line, and cuts a long phase', () => {
  const board = new WorkBoard(0)
  const lines = Array.from({ length: board.layout.lines + 2 }, () => board.open(newRun().id))
  lines[0]?.enter('x'.repeat(500))
  lines.at(-1)?.clear()
  const { runs, unlisted_runs } = readBoard(board)
  expect([runs.length, unlisted_runs]).toEqual([board.layout.lines, 1])
  expect(runs[0]?.phase).toMatch(/^x{90,}$/)
})
