import { describe, expect, test } from 'vitest'
import { type JournalEntry, journalEntry, type ReplyEntry, type RetryEntry, readJournalEntry } from './journal.ts'
import { retryName, type TurnEntry, TurnLog, turnName } from './turn-log.ts'

type Entry = ReturnType<typeof journalEntry>

function logOf(...entries: Entry[]): TurnLog {
  const log = new TurnLog()
  for (const { key, body } of entries) log.add(readJournalEntry(key, body) as JournalEntry as TurnEntry)
  return log
}
const said = (text: string): ReplyEntry => ({ text, calls: [], model: 'test/m' })

describe('replies', () => {
  test('of a step are in the order of its turns, in whatever order they were journaled', () => {
    const log = logOf(
      journalEntry('reply', '0/a:1', said('two')),
      journalEntry('reply', '0/a:0', said('one')),
      journalEntry('reply', '1/a:0', said('of another plan')),
      journalEntry('reply', '0/ab:0', said('of another step')),
    )
    expect(log.repliesOf('0/a').map(({ text }) => text)).toEqual(['one', 'two'])
    expect(log.repliesOf('0/gone')).toEqual([])
    expect([...log.replies]).toHaveLength(4)
  })

  test('ten or more turns stay in order', () => {
    const entries = Array.from({ length: 12 }, (_, turn) => journalEntry('reply', `0/a:${turn}`, said(String(turn))))
    expect(
      logOf(...entries.toReversed())
        .repliesOf('0/a')
        .map(({ text }) => Number(text)),
    ).toEqual([...entries.keys()])
  })

  test('end where a turn is missing', () => {
    const log = logOf(journalEntry('reply', '0/a:0', said('one')), journalEntry('reply', '0/a:2', said('three')))
    expect(log.repliesOf('0/a')).toHaveLength(1)
  })
})

describe('retries', () => {
  const retry = (call: string, attempt: number, tries: number, body: RetryEntry) =>
    journalEntry('retry', retryName(call, { attempt, tries }), body)

  test('the last one of a call counts, in any order; the name of the call may contain colons', () => {
    const log = logOf(
      retry('0/a:0', 1, 2, { firstAtMs: 0, dueAtMs: 20, skipped: 1 }),
      retry('0/a:0', 1, 10, { firstAtMs: 0, dueAtMs: 100 }),
      retry('0/a:0', 1, 1, { firstAtMs: 0, dueAtMs: 10 }),
      retry('0/a:judge', 1, 1, { firstAtMs: 5, dueAtMs: 6 }),
    )
    expect(log.retryOf('0/a:0')).toEqual({ firstAtMs: 0, dueAtMs: 100, attempt: 1, tries: 10 })
    expect(log.retryOf('0/a:judge')).toEqual({ firstAtMs: 5, dueAtMs: 6, attempt: 1, tries: 1 })
    expect(log.retryOf('0/a:1')).toBeUndefined()
  })

  test('a later attempt of the run counts more than many tries', () => {
    const log = logOf(
      retry('0/a:0', 2, 1, { firstAtMs: 9, dueAtMs: 10 }),
      retry('0/a:0', 1, 30, { firstAtMs: 0, dueAtMs: 5 }),
    )
    expect(log.retryOf('0/a:0')).toMatchObject({ attempt: 2, tries: 1 })
  })
})

describe('discarded turns', () => {
  const reply = (text: string): ReplyEntry => ({ text, calls: [], model: 'test/m' })

  test('no longer count, and later ones take their place', () => {
    const log = logOf(
      journalEntry('reply', turnName('0/a', 0, 0), reply('kept')),
      journalEntry('reply', turnName('0/a', 1, 0), reply('bad')),
    )
    log.discardTurns('0/a', 1)
    expect(log.repliesOf('0/a').map(({ text }) => text)).toEqual(['kept'])
    log.add(readJournalEntry(`reply:${turnName('0/a', 1, log.roundOf('0/a'))}`, reply('better')) as TurnEntry)
    expect(log.repliesOf('0/a').map(({ text }) => text)).toEqual(['kept', 'better'])
    expect(log.repliesOf('0/b')).toEqual([])
  })
})

test('the summary that covers the most turns counts', () => {
  const log = logOf(
    journalEntry('summary', '0/a:3', { text: 'three' }),
    journalEntry('summary', '0/a:12', { text: 'twelve' }),
    journalEntry('summary', '0/a:2', { text: 'two' }),
  )
  expect(log.summaryOf('0/a')).toEqual({ turns: 12, text: 'twelve' })
  expect(log.summaryOf('0/b')).toBeUndefined()
})

describe('calls', () => {
  test('that have started, how many times, and with which effect', () => {
    const log = logOf(
      journalEntry('call', 'c1#2', { name: 'pay', effect: 'once' }),
      journalEntry('call', 'c1', { name: 'pay', effect: 'once' }),
      journalEntry('call', 'c2', { name: 'read', effect: 'read' }),
    )
    expect(Object.fromEntries(log.startedCalls)).toEqual({
      c1: { effect: 'once', times: 2 },
      c2: { effect: 'read', times: 1 },
    })
  })

  test('that are made again keep the arguments that a person edited', () => {
    const first = journalEntry('call', 'c1', { name: 'pay', effect: 'once', edited: { amount: 5 } })
    const again = journalEntry('call', 'c1#2', { name: 'pay', effect: 'once' })
    for (const entries of [
      [first, again],
      [again, first],
    ])
      expect(logOf(...entries).startedCalls.get('c1')).toEqual({ effect: 'once', times: 2, edited: { amount: 5 } })
  })

  test('what they brought into the run', () => {
    const log = logOf(
      journalEntry('call', 'c1', { name: 'mail', effect: 'read', touches: ['private', 'untrusted'] }),
      journalEntry('call', 'c2', { name: 'read', effect: 'read' }),
    )
    expect(log.touched).toEqual(new Set(['private', 'untrusted']))
    expect(logOf().touched.size).toBe(0)
  })

  test('that sleep, and their results', () => {
    const log = logOf(
      journalEntry('sleep', 'c1', { sinceMs: 1, dueAtMs: 9, exceedsStep: true }),
      journalEntry('result', 'c2', { outcome: 'succeeded', output: 4 }),
    )
    expect(log.sleeps.get('c1')).toEqual({ sinceMs: 1, dueAtMs: 9, exceedsStep: true })
    expect(log.results.get('c2')).toEqual({ outcome: 'succeeded', output: 4 })
    expect([log.results.has('c1'), log.sleeps.has('c2')]).toEqual([false, false])
  })
})

test('what calls, their results and notes from memory brought into the run is known after a recovery', () => {
  const log = logOf(journalEntry('call', 'c1', { name: 'page', effect: 'read', touches: ['untrusted'] }))
  expect([...log.touched]).toEqual(['untrusted'])
  const searched = { outcome: 'succeeded', output: {}, touches: ['private'] } as const
  expect([...logOf(journalEntry('result', 'c1', searched)).touched]).toEqual(['private'])
  const recalled = journalEntry('touch', 'memory', { touches: ['private', 'untrusted'] })
  expect([...logOf(recalled).touched]).toEqual(['private', 'untrusted'])
})

describe('grades', () => {
  const entries = [
    journalEntry('reply', '0/a:0', said('one')),
    journalEntry('reply', '0/a:1', said('two')),
    journalEntry('grade', '0/a:0/run', { passed: false, notes: 'More.' }),
    journalEntry('grade', '0/a:0/agent', { passed: true, notes: '' }),
    journalEntry('revise', '0/a:0', { notes: 'More.' }),
  ]

  test('belong to a turn and to a rubric', () => {
    const log = logOf(...entries)
    expect(log.gradeOf('0/a:0', 'run')).toEqual({ passed: false, notes: 'More.' })
    expect(log.gradeOf('0/a:0', 'agent')?.passed).toBe(true)
    expect(log.gradeOf('0/a:1', 'run')).toBeUndefined()
    expect(log.lastTurnOf('0/a')).toBe('0/a:1')
    expect(log.lastTurnOf('0/b')).toBeUndefined()
  })

  test('that ask for a revision are told after their turn, and counted', () => {
    const log = logOf(...entries)
    expect(log.repliesOf('0/a').map((reply) => log.notesOn(reply))).toEqual(['More.', undefined])
    expect(log.revisionsOf('0/a')).toBe(1)
  })

  test('of discarded turns do not count', () => {
    const log = logOf(...entries)
    log.discardTurns('0/a', 0)
    expect(log.revisionsOf('0/a')).toBe(0)
    log.add(readJournalEntry('reply:0/a:0@1', said('again')) as TurnEntry)
    expect(log.repliesOf('0/a').map((reply) => log.notesOn(reply))).toEqual([undefined])
    expect(log.lastTurnOf('0/a')).toBe('0/a:0@1')
  })
})
