import { expect, test } from 'vitest'
import { maxOpenFiles } from './open-files.ts'

const line = (soft: string) => `Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max open files            ${soft.padEnd(20)} 1048576              files
`

test.each([
  [line('1024'), 1024],
  [line('unlimited'), undefined],
  ['', undefined],
])('case %#: the limit is read', (text, limit) => {
  expect(maxOpenFiles(text)).toBe(limit)
})

test.runIf(process.platform === 'linux')('Linux has one', () => {
  expect(maxOpenFiles()).toBeGreaterThan(0)
})
