// One customer sends the most expensive bodies it can. Another customer's requests are served in between.
import type { ErrorBody } from '@runwright/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Caller, emptyRun } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { worstBodies } from '../support/worst-bodies.ts'

let service: Service
let attacker: Caller
let neighbour: Caller

beforeAll(async () => {
  service = await startService({}, { worker: false })
  attacker = new Caller(service.url, service.key)
  neighbour = new Caller(service.url, service.otherKey)
})
afterAll(() => service.stop())

const tagged = (values: readonly unknown[], path = '$.input.a') => ({
  input: { a: values },
  metadata: {},
  sensitivity_tags: [{ path, classification: 'pii' }],
})

test.each([
  ['20,000 tagged texts', tagged(Array.from({ length: 20_000 }, (_, n) => `leaf-${n}`))],
  ['37,000 tagged texts', tagged(Array.from({ length: 37_000 }, (_, n) => n.toString(36).padStart(4, 'x')))],
  ['20,000 tagged numbers, one by one', tagged(Array(20_000).fill(1), '$.input.a[*]')],
])('%s are refused with a reason', async (_, body) => {
  const reply = await attacker.create(body)
  expect(reply.status).toBe(400)
  expect(reply.json<ErrorBody>()).toMatchObject({
    error: 'bad_request',
    reason_code: 'INPUT_PAYLOAD_INVALID',
    message: expect.stringMatching(/too many different texts|select 20000 values; at most 1000/),
  })
})

test('a plan above its limit is refused', async () => {
  const plan = { steps: [{ instruction: 'x'.repeat(524_288) }] }
  const reply = await attacker.create({ ...emptyRun, plan })
  expect(reply.status).toBe(400)
  expect(reply.json<ErrorBody>()).toMatchObject({
    reason_code: 'INPUT_PLAN_INVALID',
    message: expect.stringContaining('at most 524288'),
  })
})

test('while the worst bodies are accepted, the neighbour is answered between their parts', async () => {
  const bodies = [
    'tagged texts, and their base64 many times',
    'keys that contain a tagged text',
    'a plan of text, and tagged texts',
  ]
  const order: string[] = []
  const attacks = [...bodies, ...bodies].map(async (name) => {
    const reply = await attacker.create(worstBodies[name])
    order.push('attack')
    return reply.status
  })
  const served = Array.from({ length: 5 }, async () => {
    const reply = await neighbour.create(emptyRun)
    order.push('neighbour')
    return reply.status
  })
  expect(await Promise.all(served)).toEqual([201, 201, 201, 201, 201])
  expect(await Promise.all(attacks)).toEqual(bodies.flatMap(() => [201, 201]))
  expect(order.lastIndexOf('neighbour')).toBeLessThan(order.lastIndexOf('attack'))
})
