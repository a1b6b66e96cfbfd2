import { expect, test } from 'vitest'
import { createRequest } from './create-request.ts'

const empty = { input: '{"task":"x"}', workspaceId: '', subjectId: '', runClass: '', routingHint: '', further: '' }

test('what was left empty is left out', () => {
  expect(createRequest(empty)).toEqual({ request: { input: { task: 'x' } } })
})

test('what was filled in is sent, and goes before the further fields', () => {
  const draft = { ...empty, workspaceId: 'acme', runClass: 'short', further: '{"run_class":"long","streaming":false}' }
  expect(createRequest(draft)).toEqual({
    request: { input: { task: 'x' }, workspace_id: 'acme', run_class: 'short', streaming: false },
  })
})

test('each problem stands with its field', () => {
  expect(createRequest({ ...empty, input: '[]', further: '{' })).toEqual({
    problems: {
      input: 'This must be a JSON object: { … }.',
      further: expect.stringContaining('not valid JSON'),
    },
  })
})
