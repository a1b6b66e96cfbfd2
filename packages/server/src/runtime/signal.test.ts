import { expect, test } from 'vitest'
import { Signal } from './signal.ts'

test('every listener hears what is emitted, in order, until it unsubscribes', () => {
  const signal = new Signal<number>()
  const heard: string[] = []
  const stop = signal.subscribe((value) => heard.push(`a${value}`))
  signal.subscribe((value) => heard.push(`b${value}`))
  signal.emit(1)
  stop()
  signal.emit(2)
  expect(heard).toEqual(['a1', 'b1', 'b2'])
})
