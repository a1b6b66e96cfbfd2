// Answers that must match a schema, and rules that cannot be followed.
import type { RunDetail } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, outline, planned, scripted, startBench, thenStep } from '../support/engine.ts'
import { expectRefusal } from '../support/http.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.stop())

const signal = (id: string, body: object) => bench.acme.post(`/v1/runs/${id}/signal`, body)
const counts = async (id: string, body: object) => {
  const reply = await signal(id, body)
  expect(reply.status, reply.text).toBe(200)
}

async function asking(approval: object): Promise<string> {
  const step = { id: 'pay', tool: 'calculator', input: { expression: '2+2' }, approval }
  const id = await bench.create(planned([step as never]))
  await bench.waits(id)
  return id
}

describe('an answer with a schema', () => {
  const approval_schema = { type: 'object', properties: { centre: { type: 'integer' } }, required: ['centre'] }

  test('must match it, also if it approves; a no needs no payload', async () => {
    const id = await asking({ approval_schema })
    const wait = (await bench.include(id, 'awaiting_input')) as RunDetail['awaiting_input']
    expect(wait).toMatchObject({ approval_schema, approvers: null })
    for (const body of [
      { action: 'approve' },
      { action: 'approve', payload: { centre: 'x' } },
      { action: 'submit_input', call: { arguments: { expression: '3+3' } } },
    ]) {
      const reply = await signal(id, body)
      expectRefusal(reply, 400, 'SIGNAL_PAYLOAD_INVALID')
      expect(reply.text).toContain('approval_schema')
    }
    await counts(id, { action: 'approve', payload: { centre: 4100 } })
    expect(outline(await bench.ended(id)).at(-1)).toBe('succeeded')
    const other = await asking({ approval_schema })
    await counts(other, { action: 'reject' })
  })

  test.each([
    [{ approvers: [] }, 'approvers must have at least 1 item'],
    [{ approvers: ['a'], approval_count: 2 }, 'approval_count is not a known field'],
    [{ escalate_to: ['a'] }, 'escalate_after_seconds and escalate_to need each other'],
    [{ escalate_to: ['a'], escalate_after_seconds: 1 }, 'escalate_to needs approvers'],
    [{ approval_schema: { type: 'no' } }, 'approval_schema'],
    ['yes', 'approval must be \\"required\\" or an object'],
  ])('rules that cannot be followed are refused: %j', async (approval, words) => {
    const body = planned([{ tool: 'current_time', approval } as never])
    const reply = await bench.acme.post('/v1/runs', body, { 'idempotency-key': crypto.randomUUID() })
    expectRefusal(reply, 400, 'INPUT_PLAN_INVALID')
    expect(reply.text).toContain(words)
  })

  const unusable: [schema: Record<string, unknown>][] = [[{ type: 'objekt' }], [{ $ref: '#/nope' }]]
  const tools = [{ name: 'calculator', input: { expression: '1+1' } }]

  test.each(unusable)('that cannot be used, in a rule of the run, denies the tool: %j', async (approval_schema) => {
    const tool_policy = { calculator: { rule: 'ask', approval_schema } }
    const { events } = await bench.play(scripted([{ tools }], { metadata: { tool_policy } }))
    expect(outline(events)).toContain('invoked calculator policy_denied')
  })

  test.each(unusable)('that cannot be used is refused in a script, also of a fork: %j', async (approval_schema) => {
    const body = scripted([thenStep('await_input', { await: { approval_schema } })])
    const { id } = await bench.play(scripted([{ say: 'done' }]))
    for (const [path, sent] of [
      ['/v1/runs', body],
      [`/v1/runs/${id}/fork`, { from_step: 'step_1', input: body.input }],
    ] as const) {
      const reply = await bench.acme.post(path, sent, { 'idempotency-key': crypto.randomUUID() })
      expectRefusal(reply, 400, 'INPUT_PAYLOAD_INVALID')
      expect(reply.text).toContain('input.sandbox.steps[0].await.approval_schema')
    }
  })

  test.each(unusable)('that cannot be used lets no answer pass but a no: %j', async (schema) => {
    const id = await asking({ approval_schema })
    await bench.service.database.run({
      text: "update runs set wait_content = jsonb_set(wait_content::jsonb, '{approval_schema}', $1) where await_seq > 0",
      values: [JSON.stringify(schema)],
    })
    const reply = await signal(id, { action: 'approve', payload: { centre: 1 } })
    expectRefusal(reply, 400, 'SIGNAL_PAYLOAD_INVALID')
    expect(reply.text).toContain('The approval_schema of this question cannot be used, so it can only be rejected')
    await counts(id, { action: 'reject' })
  })
})
