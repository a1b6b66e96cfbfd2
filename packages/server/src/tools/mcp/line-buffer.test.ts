import { ReadBuffer } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { largestMessage } from './largest-message.ts'
import { LineBuffer } from './line-buffer.ts'

const linesOf = (...chunks: string[]) => {
  const buffer = new LineBuffer()
  return chunks.flatMap((chunk) => buffer.push(Buffer.from(chunk)))
}

test('lines are put together, however they were cut', () => {
  expect(linesOf('one\ntwo', '\nth', 'r', 'ee\n\nfi')).toEqual(['one', 'two', 'three', ''])
})

test('a character that was cut in two comes whole', () => {
  const buffer = new LineBuffer()
  const bytes = Buffer.from('ö\n')
  expect([...buffer.push(bytes.subarray(0, 1)), ...buffer.push(bytes.subarray(1))]).toEqual(['ö'])
})

test('a line may have 10 MiB and no more, also without an end', () => {
  const mebibyte = 'x'.repeat(1024 * 1024)
  expect(linesOf(...Array.from({ length: 10 }, () => mebibyte), '\n')[0]).toHaveLength(largestMessage.maxBytes)
  expect(() => linesOf(...Array.from({ length: 10 }, () => mebibyte), 'x')).toThrow('more than 10485760 bytes')
})

test('a line may have 100,000 keys and values and no more', () => {
  const { maxParts } = largestMessage
  expect(linesOf(`[${'1,'.repeat(maxParts - 2)}1]\n`.repeat(2))).toHaveLength(2)
  expect(() => linesOf(`[${'1,'.repeat(maxParts - 1)}1]`)).toThrow(`more than ${maxParts} keys and values`)
})

describe('a line that comes in small pieces', () => {
  const cpuOf = (work: () => void): number => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return user + system
  }

  test('takes a fraction of the time that the buffer of the SDK takes', () => {
    const pieces = Array.from({ length: 15_000 }, () => Buffer.from('0123456789'))
    // The least of several: a collection of garbage may fall into one of them.
    const once = () => {
      const buffer = new LineBuffer()
      return cpuOf(() => {
        for (const piece of pieces) buffer.push(piece)
      })
    }
    const ours = Math.min(once(), once(), once())
    const other = new ReadBuffer()
    const theirs = cpuOf(() => {
      for (const piece of pieces) {
        other.append(piece)
        other.readMessage()
      }
    })
    expect(ours).toBeLessThan(theirs / 4)
  })
})
