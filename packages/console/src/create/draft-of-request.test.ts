import { courses } from '@runwright/contract'
import { expect, test } from 'vitest'
import { createRequest } from './create-request.ts'
import { draftOf } from './draft-of-request.ts'

test.each(courses)('the form sends the course $name as it is', ({ request }) => {
  expect(createRequest(draftOf(request))).toEqual({ request: { run_class: 'default', ...request } })
})

test('labels, class and planning get their own fields', () => {
  const request = {
    input: {},
    workspace_id: 'a',
    subject_id: 'b',
    run_class: 'long',
    routing_hint: 'skip_planning',
  } as const
  expect(draftOf(request)).toEqual({
    input: '{}',
    outputSchema: '',
    rubric: '',
    agent: '',
    workspaceId: 'a',
    subjectId: 'b',
    runClass: 'long',
    routingHint: 'skip_planning',
    tags: [],
    plan: '',
    further: '',
  })
})

test('the agent gets its own field, and comes back as it was', () => {
  const request = { input: {}, metadata: { agent: 'clerk', title: 'Sort' }, run_class: 'default' } as const
  const draft = draftOf(request)
  expect(draft).toMatchObject({
    agent: 'clerk',
    further: JSON.stringify({ metadata: { title: 'Sort' } }, undefined, 2),
  })
  expect(createRequest(draft)).toEqual({ request })
})

test.each([
  { input: { output_schema: { type: 'object' }, rubric: 'Short.' } },
  { input: { rubric: { criteria: 'Short.' } } },
  { input: { rubric: ' spaces ', output_schema: false } },
  { input: {}, sensitivity_tags: [{ path: '$.input.a', classification: 'pii' as const }] },
  { input: {}, plan: { steps: [{ instruction: 'Look.' }] } },
])('%j comes back as it was', (request) => {
  expect(createRequest(draftOf(request))).toEqual({ request: { run_class: 'default', ...request } })
})
