import type { Tool } from '@runwright/contract'
import { expect, test } from 'vitest'
import { createRequest } from './create-request.ts'
import { emptyDraft } from './draft.ts'

const empty = { ...emptyDraft, input: '{"task":"x"}' }

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

test('the schema of the result and the rubric become part of the input', () => {
  const draft = { ...empty, outputSchema: '{"type":"object"}', rubric: ' Names the price. ' }
  expect(createRequest(draft)).toEqual({
    request: { input: { task: 'x', output_schema: { type: 'object' }, rubric: 'Names the price.' } },
  })
  expect(createRequest({ ...empty, rubric: '{"max_revisions": 99}' })).toEqual({
    problems: { rubric: expect.stringContaining('input.rubric.max_revisions must be') },
  })
})

test('what the service would refuse is said at its field, in the words of the service', () => {
  expect(createRequest({ ...empty, workspaceId: 'a'.repeat(256) })).toEqual({
    problems: { workspaceId: 'workspace_id must be 1 to 255 characters long.' },
  })
  expect(createRequest({ ...empty, further: '{"model":"x"}' })).toEqual({
    problems: { further: 'model is not a known field: use metadata.model.' },
  })
})

test('a plan with problems is not sent', () => {
  const sent = { version: 'v2', steps: [{ id: 'a', instruction: 'Look.' }] }
  expect(createRequest({ ...empty, plan: JSON.stringify(sent) })).toEqual({
    request: { input: { task: 'x' }, plan: sent },
  })
  const plan = '{"steps":[{"id":"a","instruction":"{{steps.b.content}}"}]}'
  expect(createRequest({ ...empty, plan })).toEqual({ problems: { plan: 'The plan has problems.' } })
})

test('tags are sent as they are, and a mistake in one is named', () => {
  const tag = { path: '$.input.iban', classification: 'financial', allow: ['tool:pay'] } as const
  expect(createRequest({ ...empty, tags: [{ ...tag, allow: [...tag.allow] }] })).toMatchObject({
    request: { sensitivity_tags: [tag] },
  })
  const twice = [
    { path: '$.input.a', classification: 'pii' as const },
    { path: '$.input.a', classification: 'pii' as const },
  ]
  expect(createRequest({ ...empty, tags: twice })).toEqual({
    problems: { tags: 'Tag 2: another tag has the same path.' },
  })
  expect(createRequest({ ...empty, tags: [{ path: 'iban', classification: 'pii' }] })).toEqual({
    problems: { tags: 'Tag 1: the path must begin with $.input or $.metadata.' },
  })
})

const pay: Pick<Tool, 'name' | 'input_schema'> = {
  name: 'pay',
  input_schema: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
}
const planOf = (input: object) => JSON.stringify({ steps: [{ id: 'a', tool: 'pay', input }] })

test.each([{}, { amount: 'much' }])('a plan is not sent whose tool gets %j', (input) => {
  expect(createRequest({ ...empty, plan: planOf(input) }, { tools: [pay] })).toEqual({
    problems: { plan: 'The plan has problems.' },
  })
})

test('a plan is sent whose tool gets what it needs, or more than fields can show, or is not known', () => {
  for (const input of [{ amount: 1 }, { amount: '{{input.sum}}' }, { amount: { deep: 1 } }])
    expect(createRequest({ ...empty, plan: planOf(input) }, { tools: [pay] })).toHaveProperty('request')
  expect(createRequest({ ...empty, plan: planOf({}) }, { tools: [] })).toHaveProperty('request')
})

test('masked values of the request that the form was filled with are not sent', () => {
  const again = 'Enter the masked values (***) again: what they stand for is not shown.'
  const draft = {
    ...empty,
    input: '{"iban": "***"}',
    rubric: 'Names ***.',
    outputSchema: '{"const": "***"}',
    further: '{"metadata": {"note": ["Dear ***,"]}}',
  }
  expect(createRequest(draft, { isMasked: true })).toEqual({
    problems: { input: again, rubric: again, outputSchema: again, further: again },
  })
  expect(createRequest({ ...empty, input: '{"iban": "DE89"}' }, { isMasked: true })).toHaveProperty('request')
  expect(createRequest({ ...empty, input: '{"line": "***"}' })).toHaveProperty('request')
})
