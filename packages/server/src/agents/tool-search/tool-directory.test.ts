import { expect, test } from 'vitest'
import type { ToolOffer } from '../../tools/port/catalogue.ts'
import { describeDirectory } from './tool-directory.ts'

const tool = (name: string): ToolOffer => ({ name, description: 'x'.repeat(9_000), inputSchema: { type: 'object' } })

test('the servers are listed by name, with the number of their tools', () => {
  const tools = ['jira.a', 'github.b', 'pay', 'github.a', 'jira.a.b'].map(tool)
  expect(describeDirectory(tools)).toBe('Tools of: github (2), jira (2), own tools (1).')
  expect(describeDirectory(tools.toReversed())).toBe(describeDirectory(tools))
})

test('the list is bounded, and says what it leaves out', () => {
  const text = describeDirectory(Array.from({ length: 200 }, (_, n) => tool(`server-${n}.a`)))
  expect(text.length).toBeLessThan(700)
  expect(text).toMatch(/, and 1\d\d more servers\.$/)
})
