import { expect, test } from 'vitest'
import { z } from 'zod'
import { callEffect } from './call-effect.ts'
import { ToolCatalogue } from './catalogue.ts'
import type { Tool } from './tool.ts'

const fetching: Tool<{ method: string }> = {
  name: 'fetch',
  description: 'Fetches',
  input: z.strictObject({ method: z.string().default('GET') }),
  effectOf: ({ method }) => (method === 'GET' ? 'read' : 'once'),
  timeoutSeconds: 1,
  run: async () => null,
}
const unsure: Tool = {
  ...fetching,
  name: 'unsure',
  effectOf: () => {
    throw new Error('cannot tell')
  },
}
const catalogue = new ToolCatalogue([fetching, unsure])

test.each([
  ['depends on the input', 'fetch', { method: 'POST' }, 'once'],
  ['depends on the input as the schema reads it', 'fetch', {}, 'read'],
  ['is nothing when the schema refuses the input', 'fetch', { method: 'POST', other: 1 }, 'read'],
  ['is nothing when there is no such tool', 'missing', {}, 'read'],
  ['is taken for the worst when the tool cannot tell', 'unsure', {}, 'once'],
])('the effect %s', async (_, name, input, effect) => {
  expect(await callEffect(catalogue.find(name), input)).toBe(effect)
})
