import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { blameProcess } from '../../store/postgres/errors.ts'
import { type CustomerEvent, type CustomerPosition, positionAt } from '../../store/runs/customer-events.ts'
import { CustomerStream } from './customer-stream.ts'

/** A client that reads nothing until it is told to. */
class SlowResponse extends EventEmitter {
  isFlowing = true
  text = ''
  write(text: string): boolean {
    this.text += text
    return this.isFlowing
  }
  end(): void {}
}

const event = (seq: number): CustomerEvent => ({
  runId: '01890000-0000-7000-8000-000000000000',
  seq,
  type: 'step.done',
  at: new Date(seq),
  redacted: false,
  payload: '{}',
})

/** A stream that reads one event at a time, up to the last one, and what it was asked for. */
function open({ lastSeq, lagMs = 0 }: { lastSeq: number; lagMs?: number }) {
  const response = new SlowResponse()
  const state: { lastSeq: number; lagMs: number; failure?: unknown } = { lastSeq, lagMs }
  const reads: number[] = []
  const read = async ({ seq }: CustomerPosition) => {
    reads.push(seq)
    if (state.failure) throw state.failure
    return {
      events: seq < state.lastSeq ? [event(seq + 1)] : [],
      horizon: { atMs: Date.now(), lagMs: state.lagMs },
    }
  }
  const stream = new CustomerStream(response as unknown as ServerResponse, {
    principal: { keyId: 'key_1', customerId: 'acme' },
    requestId: 'req_1',
    position: positionAt({ atMs: 0 }),
    read,
  })
  return { stream, response, reads, state }
}

test('all that is there is read at once, and then nothing until something changes', async () => {
  const { stream, response, reads } = open({ lastSeq: 2 })
  await stream.readIfDue()
  expect(reads).toEqual([0, 1, 2])
  expect(response.text.match(/^event: .*$/gm)).toEqual(['event: position', 'event: run_event', 'event: run_event'])
  const now = performance.now()
  stream.noteChange(now - 10_000)
  await stream.readIfDue()
  await stream.readIfDue()
  expect(reads).toEqual([0, 1, 2, 2])
})

test('a slow client gets the rest when it has read what was sent', async () => {
  const { stream, response, reads } = open({ lastSeq: 2 })
  response.isFlowing = false
  await stream.readIfDue()
  await stream.readIfDue()
  expect(reads).toEqual([0])
  response.isFlowing = true
  response.emit('drain')
  await stream.readIfDue()
  expect(reads).toEqual([0, 1, 2])
})

test('a change that an older transaction hides is read again', async () => {
  const { stream, reads, state } = open({ lastSeq: 0, lagMs: 1_000 })
  stream.noteChange()
  await stream.readIfDue()
  await stream.readIfDue()
  expect(reads).toEqual([0, 0])
  state.lastSeq = 1
  await stream.readIfDue()
  expect(reads).toEqual([0, 0, 0, 1])
})

test('a read that the process was too busy for is tried again, and any other failure ends the stream', async () => {
  const { stream, response, reads, state } = open({ lastSeq: 1 })
  stream.noteChange()
  state.failure = blameProcess(new Error('no connection in time'))
  await stream.readIfDue()
  state.failure = undefined
  await stream.readIfDue()
  expect(reads).toEqual([0, 0, 1])
  expect(response.text).toContain('event: run_event')
  state.failure = new Error('away')
  stream.noteChange()
  await stream.readIfDue()
  await stream.readIfDue()
  expect(reads).toEqual([0, 0, 1, 1])
})
