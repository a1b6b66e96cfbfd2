import { expect, test, vi } from 'vitest'
import { makeOnce } from './make-once.ts'

test('the value is made when it is first needed, and then kept', () => {
  const make = vi.fn(() => ({}))
  const get = makeOnce(make)
  expect(make).not.toHaveBeenCalled()
  expect(get()).toBe(get())
  expect(make).toHaveBeenCalledTimes(1)
})

test.each([undefined, null, '', 0])('%j is a value, too, and is not made again', (value) => {
  const make = vi.fn(() => value)
  const get = makeOnce(make)
  expect([get(), get()]).toEqual([value, value])
  expect(make).toHaveBeenCalledTimes(1)
})

test('a failure is not kept', () => {
  const make = vi.fn(() => 'made')
  make.mockImplementationOnce(() => {
    throw new Error('not yet')
  })
  const get = makeOnce(make)
  expect(get).toThrow('not yet')
  expect(get()).toBe('made')
})
