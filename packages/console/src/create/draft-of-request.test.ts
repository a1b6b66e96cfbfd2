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
    agent: '',
    workspaceId: 'a',
    subjectId: 'b',
    runClass: 'long',
    routingHint: 'skip_planning',
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
