import { expect, test } from 'vitest'
import { checkNode } from './check-node.ts'

test.each(['20.19.0', '20.20.2', '22.0.0', '24.11.0'])('Node %s is new enough', (version) => {
  expect(checkNode(version)).toEqual({ name: 'Node', status: 'ok', message: version })
})

test.each(['18.20.0', '20.18.3'])('Node %s is too old, and the advice names the oldest that works', (version) => {
  expect(checkNode(version)).toEqual({
    name: 'Node',
    status: 'problem',
    message: `${version} is too old.`,
    advice: 'Install Node 20.19 or later.',
  })
})
