import { expect, test } from 'vitest'
import { fromVectorBytes, toVectorBytes } from './vector-bytes.ts'

test('numbers are stored as float32 in little endian', () => {
  expect(toVectorBytes(Float32Array.of(1, -2)).toString('hex')).toBe('0000803f000000c0')
})

test('bytes at any offset of a buffer are read', () => {
  const bytes = Buffer.from(`ff${'0000803f000000c0'}`, 'hex').subarray(1)
  expect(Array.from(fromVectorBytes(bytes))).toEqual([1, -2])
})

test('a view of a part of a vector is stored as that part', () => {
  const part = Float32Array.of(9, 1, -2, 9).subarray(1, 3)
  expect(Array.from(fromVectorBytes(toVectorBytes(part)))).toEqual([1, -2])
})
