import { expect, test } from 'vitest'
import { SendState } from './send-state.ts'

test('a window is open for its time, and each call has its own', () => {
  const sends = new SendState()
  sends.openWindow('long', 60_000)
  sends.openWindow('over', 0)
  expect(['long', 'over', 'never opened'].map((id) => sends.isWindowOpen(id))).toEqual([true, false, false])
  sends.openWindow('long', 0)
  expect(sends.isWindowOpen('long')).toBe(false)
})

test('the sendings of each call are counted', () => {
  const sends = new SendState()
  for (const id of ['a', 'a', 'b']) sends.countSending(id)
  expect(['a', 'b', 'c'].map((id) => sends.timesSent(id))).toEqual([2, 1, 0])
})
