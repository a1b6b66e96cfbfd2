// The checker finds what it is for: each rule with a history that breaks it, and with one that does not.
import { describe, expect, test } from 'vitest'
import type { Answer, Ask, LogEntry, Operation } from './history.ts'
import { findUnexplained } from './linearize.ts'

/** Words of the log: `type`, with its payload behind it. Each is a change of its own, unless it begins with `+`. */
function logOf(...lines: readonly string[]): LogEntry[] {
  let change = 0
  return lines.map((line, index) => {
    const [type = '', ...pairs] = line.replace('+', '').split(' ')
    if (!line.startsWith('+')) change += 1
    return { seq: index + 1, type, change: String(change), payload: Object.fromEntries(pairs.map((p) => p.split('='))) }
  })
}

const started = ['run.created', 'run.worker.started to_status=running']
const asked = [...started, 'run.coordination.decision decision_type=await_input', '+run.awaiting_input']
const approved = [...asked, 'run.signal_applied action=approve']
const succeeded = [...approved, 'run.worker.succeeded to_status=succeeded']

const at = (start: number, end: number | undefined, ask: Ask, answer?: Answer): Operation => ({
  client: 'ann',
  ask,
  start,
  ...(end !== undefined && { end }),
  ...(answer && { answer }),
})
const ok = { kind: 'ok' } as const
const replayed = { kind: 'ok', replayed: true } as const
const refused = { kind: 'refused' } as const
const read = { kind: 'read' } as const
const state = (status: string, awaitSeq: number | null = null) => ({ kind: 'state', status, awaitSeq }) as const
const create = at(0, 1, { kind: 'create', key: 'k' }, ok)
const approve = (key: string, awaitSeq = 4) => ({ kind: 'signal', action: 'approve', awaitSeq, key }) as const
const reject = (key: string) => ({ kind: 'signal', action: 'reject', awaitSeq: 4, key }) as const
const seen = (cursor: number, log: readonly LogEntry[]) =>
  ({ kind: 'events', events: log.slice(cursor).map(({ seq, type }) => ({ seq, type })) }) as const

const good: Record<string, [LogEntry[], Operation[]]> = {
  'a run that nobody looks at': [logOf(...started), [create]],
  'a repeated create': [logOf(...started), [create, at(2, 3, { kind: 'create', key: 'k' }, replayed)]],
  'a create whose answer was lost, and its repetition': [
    logOf(...started),
    [at(0, undefined, { kind: 'create', key: 'k' }), at(2, 3, { kind: 'create', key: 'k' }, replayed)],
  ],
  'reads in the order of the log': [
    logOf(...succeeded),
    [
      create,
      at(2, 3, read, state('queued')),
      at(4, 5, read, state('running')),
      at(6, 7, read, state('running', 4)),
      at(8, 9, approve('a'), ok),
      at(10, 11, read, state('succeeded')),
    ],
  ],
  'two reads at once that saw different states': [
    logOf(...started),
    [create, at(2, 9, read, state('running')), at(3, 8, read, state('queued'))],
  ],
  'two that answer at once: one is applied': [
    logOf(...approved),
    [create, at(2, 9, approve('a'), ok), at(2, 9, reject('b'), refused)],
  ],
  'an answer that was lost and repeated': [
    logOf(...approved),
    [create, at(2, undefined, approve('a')), at(5, 6, approve('a'), ok)],
  ],
  'a cancel that came too late': [
    logOf(...succeeded),
    [create, at(2, 3, approve('a'), ok), at(4, 9, { kind: 'cancel' }, refused)],
  ],
  'a cancel whose answer was lost, and that came later': [
    logOf(...started, 'run.cancelled to_status=cancelled'),
    [create, at(2, undefined, { kind: 'cancel' }), at(4, 5, read, state('running'))],
  ],
  'a timeout that cancels': [logOf(...asked, 'run.cancelled to_status=cancelled reason_code=signal_timeout'), [create]],
  'a retry': [
    logOf(...started, 'run.worker.failed to_status=failed', 'run.worker.retry_scheduled to_status=queued'),
    [create, at(2, 3, { kind: 'retry' }, ok), at(4, 5, { kind: 'retry' }, refused)],
  ],
  'pages and a stream': [
    logOf(...succeeded),
    [
      create,
      at(2, 3, { kind: 'events', cursor: 0, limit: 100 }, seen(0, logOf(...asked))),
      at(2, 20, { kind: 'stream', cursor: 1 }, seen(1, logOf(...succeeded))),
      at(4, 5, approve('a'), ok),
      at(30, 31, { kind: 'events', cursor: 6, limit: 100 }, { kind: 'events', events: [] }),
    ],
  ],
}

test.each(Object.keys(good))('explained: %s', (name) => {
  const [log, history] = good[name] ?? [[], []]
  expect(findUnexplained(log, history)).toBeUndefined()
})

const bad: Record<string, [LogEntry[], Operation[], string]> = {
  'an acknowledged signal is lost': [
    logOf(...asked, 'run.cancelled to_status=cancelled reason_code=signal_timeout'),
    [create, at(2, 3, approve('a'), ok)],
    'answers have no place',
  ],
  'an acknowledged cancel is lost': [
    logOf(...asked),
    [create, at(2, 3, { kind: 'cancel' }, ok)],
    'answers have no place',
  ],
  'a signal is applied twice': [
    logOf(...approved, 'run.coordination.decision', '+run.awaiting_input', 'run.signal_applied action=approve'),
    [create, at(2, 3, approve('a'), ok), at(4, 5, approve('a'), ok)],
    'nobody asked for the change after this place (signal)',
  ],
  'both of two answers are acknowledged': [
    logOf(...approved),
    [create, at(2, 9, approve('a'), ok), at(2, 9, reject('b'), ok)],
    'answers have no place',
  ],
  'a signal for one wait answers another one': [
    logOf(...approved, 'run.coordination.decision', '+run.awaiting_input', 'run.signal_applied action=approve'),
    [create, at(2, 3, approve('a'), ok), at(4, 5, approve('b'), ok)],
    'nobody asked for the change after this place (signal)',
  ],
  'an answer is refused although the run waits': [
    logOf(...asked),
    [create, at(2, 3, read, state('running', 4)), at(4, 5, approve('a'), refused)],
    'answers have no place',
  ],
  'a cancel is refused although the run goes on': [
    logOf(...started),
    [create, at(2, 3, { kind: 'cancel' }, refused)],
    'answers have no place',
  ],
  'a read goes back in time': [
    logOf(...started),
    [create, at(2, 3, read, state('running')), at(4, 5, read, state('queued'))],
    'answers have no place',
  ],
  'a read after an acknowledged cancel shows the run running': [
    logOf(...started, 'run.cancelled to_status=cancelled'),
    [create, at(2, 3, { kind: 'cancel' }, ok), at(4, 5, read, state('running'))],
    'answers have no place',
  ],
  'a page ends before what an earlier one had': [
    logOf(...approved),
    [
      create,
      at(2, 3, { kind: 'events', cursor: 0, limit: 100 }, seen(0, logOf(...asked))),
      at(4, 5, { kind: 'events', cursor: 0, limit: 100 }, seen(0, logOf(...started))),
      at(6, 7, approve('a'), ok),
    ],
    'answers have no place',
  ],
  'a page shows half of a change': [
    logOf(...asked),
    [create, at(2, 3, { kind: 'events', cursor: 0, limit: 100 }, seen(0, logOf(...asked).slice(0, 3)))],
    'answers have no place',
  ],
  'a stream leaves an event out': [
    logOf(...asked),
    [
      create,
      at(
        2,
        3,
        { kind: 'stream', cursor: 1 },
        { kind: 'events', events: [{ seq: 3, type: 'run.coordination.decision' }] },
      ),
    ],
    'a reader received what the log does not have',
  ],
  'a stream has an event that was not committed': [
    logOf(...started),
    [create, at(2, 3, { kind: 'stream', cursor: 0 }, seen(0, logOf(...succeeded)))],
    'a reader received what the log does not have',
  ],
  'a run is cancelled without a client': [
    logOf(...started, 'run.cancelled to_status=cancelled'),
    [create],
    'nobody asked for the change after this place (cancel)',
  ],
  'a run appears without a client': [logOf(...started), [], 'nobody asked for the change after this place (create)'],
  'a run ends twice': [
    logOf(...succeeded, 'run.worker.succeeded to_status=succeeded'),
    [create, at(2, 3, approve('a'), ok)],
    'the log: event 7 run.worker.succeeded comes while the run is succeeded',
  ],
  'a number is missing': [
    logOf(...started).map((event) => ({ ...event, seq: event.seq * 2 - 1 })),
    [create],
    'the log: event 3 comes after 1',
  ],
  'an answer without a wait': [
    logOf(...started, 'run.signal_applied action=approve'),
    [create, at(2, 3, approve('a'), ok)],
    'the log: event 3 run.signal_applied answers no wait',
  ],
}

describe('not explained', () => {
  test.each(Object.keys(bad))('%s', (name) => {
    const [log, history, problem] = bad[name] ?? [[], [], '']
    expect(findUnexplained(log, history)).toMatchObject({ problem })
  })

  test('says which answers have no place, and how far the search came', () => {
    const [log, history] = bad['a read goes back in time'] ?? [[], []]
    expect(findUnexplained(log, history)).toMatchObject({ reached: 2, operations: [history[2]] })
  })
})

test('a long history with many answers that were lost is searched in time', () => {
  const reads = Array.from({ length: 500 }, (_, n) => at(10 + n, 11 + n, read, state('running')))
  const lost = Array.from({ length: 12 }, (_, n) => at(5, undefined, approve(`lost-${n}`)))
  const last = at(900, 901, read, state('succeeded'))
  expect(findUnexplained(logOf(...succeeded), [create, ...lost, ...reads, last])).toBeUndefined()
})
