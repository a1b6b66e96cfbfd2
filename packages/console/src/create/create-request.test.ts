import { expect, test } from 'vitest'
import { createRequest } from './create-request.ts'

const empty = {
  input: '{"task":"x"}',
  agent: '',
  workspaceId: '',
  subjectId: '',
  runClass: '',
  routingHint: '',
  further: '',
}

test('empty fields are omitted', () => {
  expect(createRequest(empty)).toEqual({ request: { input: { task: 'x' } } })
})

test('filled fields are sent and take precedence over the additional fields', () => {
  const draft = { ...empty, workspaceId: 'acme', runClass: 'short', further: '{"run_class":"long","streaming":false}' }
  expect(createRequest(draft)).toEqual({
    request: { input: { task: 'x' }, workspace_id: 'acme', run_class: 'short', streaming: false },
  })
})

test('each problem belongs to its field', () => {
  expect(createRequest({ ...empty, input: '[]', further: '{' })).toEqual({
    problems: {
      input: 'This must be a JSON object: { … }.',
      further: expect.stringContaining('not valid JSON'),
    },
  })
})

test('the agent joins the other metadata', () => {
  const draft = { ...empty, agent: ' clerk ', further: '{"metadata":{"title":"Sort","agent":"other"}}' }
  expect(createRequest(draft)).toEqual({
    request: { input: { task: 'x' }, metadata: { title: 'Sort', agent: 'clerk' } },
  })
})
