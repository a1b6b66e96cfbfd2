import type { AwaitingInput } from '@runwright/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Decision, DecisionBox, undoMs } from './decision-box.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const wait = { runId: 'run_1', awaitSeq: 7, name: 'Pay invoice' }
const approve = { action: 'approve' } as const

const conflict = new Error('answered')

const newBox = () => {
  const kept = new Map<string, { readonly wasSending: boolean }>()
  const around = {
    send: vi.fn(async (_decision: Decision): Promise<AwaitingInput | undefined> => undefined),
    isConflict: (error: unknown) => error === conflict,
    isOnline: vi.fn(() => true),
    notes: {
      keep: (key: string, note: { readonly wasSending: boolean }) => void kept.set(key, note),
      drop: (key: string) => void kept.delete(key),
    },
    onSent: vi.fn(),
    onFailed: vi.fn(),
  }
  const box = new DecisionBox(around)
  return { box, kept, ...around, stateOf: () => box.snapshot().at(-1)?.state }
}

test('a decision is sent after five seconds, once', async () => {
  const { box, send, stateOf, kept } = newBox()
  box.decide(wait, approve)
  await vi.advanceTimersByTimeAsync(undoMs - 1)
  expect(send).not.toHaveBeenCalled()
  expect(kept.get('run_1:7')).toMatchObject({ wasSending: false })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(send).toHaveBeenCalledTimes(1)
  expect(stateOf()).toEqual({ kind: 'sent' })
  expect(kept.size).toBe(0)
})

test('what is undone is never sent, and leaves no note', async () => {
  const { box, send, kept } = newBox()
  box.decide(wait, approve)
  await vi.advanceTimersByTimeAsync(undoMs - 1)
  box.undo('run_1:7')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(send).not.toHaveBeenCalled()
  expect(box.snapshot()).toEqual([])
  expect(kept.size).toBe(0)
})

test('a second press decides nothing more, while it counts, while it is sent, and after', async () => {
  const { box, send } = newBox()
  let arrive: (value: undefined) => void = () => undefined
  send.mockReturnValue(new Promise((resolve) => (arrive = resolve)))
  box.decide(wait, approve)
  box.decide(wait, { action: 'reject' })
  await vi.advanceTimersByTimeAsync(undoMs)
  box.decide(wait, approve)
  box.undo('run_1:7')
  arrive(undefined)
  await vi.advanceTimersByTimeAsync(0)
  box.decide(wait, approve)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(send.mock.calls.map(([{ answer }]) => answer)).toEqual([approve])
})

test('an answer that is only counted is replaced by another one, which has its own key', async () => {
  const { box, send, stateOf, kept, onSent } = newBox()
  const goesOn = { seq: 7 } as AwaitingInput
  send.mockResolvedValueOnce(goesOn)
  box.decide(wait, approve)
  await vi.advanceTimersByTimeAsync(undoMs)
  expect(stateOf()).toEqual({ kind: 'counted', wait: goesOn })
  expect(onSent).toHaveBeenCalledWith(expect.objectContaining({ answer: approve }), goesOn)
  expect(kept.size).toBe(0)
  box.decide(wait, approve)
  await vi.advanceTimersByTimeAsync(undoMs)
  expect(stateOf()).toEqual({ kind: 'sent' })
  const [first, second] = send.mock.calls.map(([{ idempotencyKey }]) => idempotencyKey)
  expect(second).not.toBe(first)
})

describe('what cannot be sent is kept, and goes only when the person says so', () => {
  test('offline', async () => {
    const { box, send, isOnline, stateOf } = newBox()
    isOnline.mockReturnValue(false)
    box.decide(wait, approve)
    await vi.advanceTimersByTimeAsync(undoMs)
    expect(stateOf()).toEqual({ kind: 'held', why: 'offline' })
    isOnline.mockReturnValue(true)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(send).not.toHaveBeenCalled()
    box.sendNow('run_1:7')
    await vi.advanceTimersByTimeAsync(0)
    expect(stateOf()).toEqual({ kind: 'sent' })
  })

  test('after the computer slept', async () => {
    const { box, send, stateOf } = newBox()
    box.decide(wait, approve)
    vi.setSystemTime(Date.now() + 3_600_000)
    await vi.advanceTimersByTimeAsync(undoMs)
    expect(send).not.toHaveBeenCalled()
    expect(stateOf()).toEqual({ kind: 'held', why: 'asleep' })
  })

  test('after an error: the same answer has the same key, another one has its own', async () => {
    const { box, send, stateOf, kept } = newBox()
    send.mockRejectedValueOnce(new Error('the reply was lost'))
    box.decide(wait, approve)
    await vi.advanceTimersByTimeAsync(undoMs)
    expect(stateOf()).toMatchObject({ kind: 'failed' })
    expect(kept.get('run_1:7')).toMatchObject({ wasSending: true })
    send.mockRejectedValueOnce(new Error('the reply was lost'))
    box.sendNow('run_1:7')
    await vi.advanceTimersByTimeAsync(0)
    box.decide(wait, { action: 'reject' })
    await vi.advanceTimersByTimeAsync(undoMs)
    const [first, second, third] = send.mock.calls.map(([{ idempotencyKey }]) => idempotencyKey)
    expect(second).toBe(first)
    expect(third).not.toBe(first)
  })
})

describe('if somebody else answers', () => {
  test('while it counts, it is not sent', async () => {
    const { box, send, stateOf } = newBox()
    box.decide(wait, approve)
    box.isOver('run_1:7')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(send).not.toHaveBeenCalled()
    expect(stateOf()).toEqual({ kind: 'late' })
  })

  test('while it is on its way, it ends as the service says', async () => {
    const { box, send, stateOf } = newBox()
    send.mockRejectedValueOnce(conflict)
    box.decide(wait, approve)
    await vi.advanceTimersByTimeAsync(undoMs)
    expect(stateOf()).toEqual({ kind: 'late' })
  })
})

test('a closed box sends nothing, and its notes stay for the next sign-in', async () => {
  const { box, send, kept } = newBox()
  box.decide(wait, approve)
  box.close()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(send).not.toHaveBeenCalled()
  expect(kept.size).toBe(1)
})
