// The courses of the contract, each played to its end on the sandbox: what a reader of the run sees.
import { type Course, courses, createRunSchema, type Event, type Plan } from '@runwright/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bench, ofType, outline, startBench } from '../support/engine.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.stop())

const find = (name: string): Course => {
  const course = courses.find((one) => one.name === name)
  if (!course) throw new Error(`there is no course ${name}`)
  return course
}

/** The same course without its pauses, which only make it pleasant to watch. */
const atOnce = ({ request }: Course) => {
  const steps = request.input.sandbox.steps?.map((step) => ({ ...step, delay_ms: 0, chunk_ms: 0 }))
  return { ...request, input: { ...request.input, sandbox: { steps } } }
}

const secondsOf = ({ request }: Course): number => {
  const ms = request.input.sandbox.steps?.map(({ say = '', delay_ms = 0, chunk_ms = 0 }) => {
    return delay_ms + chunk_ms * say.split(/\s+/).length
  })
  return (ms ?? []).reduce((sum, one) => sum + one, 0) / 1000
}

const textOf = (events: readonly Event[]): string =>
  ofType(events, 'step.progress')
    .map(({ content_delta }) => content_delta ?? '')
    .join('')

const toolResults = (events: readonly Event[]): string[] =>
  ofType(events, 'run.tool.invoked').map((call) => (call.tool_output_summary as { preview: string }).preview)

const resultOf = async (id: string) =>
  (await bench.acme.get(`/v1/runs/${id}`)).json<{ event_payload: { value: unknown } }>().event_payload.value

test('there are three, each with a name, a title and a description of its own', () => {
  expect(courses.map(({ name }) => name)).toEqual(['approval', 'retry', 'stream'])
  for (const key of ['title', 'description'] as const) {
    expect(new Set(courses.map((course) => course[key])).size).toBe(courses.length)
  }
  for (const { request } of courses) expect(createRunSchema.safeParse(request).error).toBeUndefined()
})

test.each(courses)('$name lasts long enough to be watched, and less than half a minute', (course) => {
  expect(secondsOf(course)).toBeGreaterThan(2)
  expect(secondsOf(course)).toBeLessThan(30)
})

test('approval: the totals are those of the calculator, and the question names them', async () => {
  const { request } = find('approval')
  const id = await bench.create(atOnce(find('approval')))
  await bench.waits(id)
  const before = await bench.events(id)
  expect(toolResults(before).sort()).toEqual(['{"result":171}', '{"result":9405}', '{"result":9576}'])
  expect(await bench.include(id, 'awaiting_input')).toMatchObject({
    input_kind: 'approval',
    reason_code: 'order_over_limit',
    prompt: 'Order 24 Ridge chairs from Oakline for €9405? That is €171 less than Nordsitz.',
  })
  await bench.signal(id, 'approve')
  const events = await bench.ended(id)
  expect(outline(events).at(-1)).toBe('succeeded')
  const [nordsitz = '', oakline = '', order = ''] = request.input.sandbox.steps?.map(({ say }) => say ?? '') ?? []
  expect(await resultOf(id)).toEqual({
    content: order,
    output: { supplier: 'Oakline', quantity: 24, total: 9405 },
  })
  expect(nordsitz).toContain('€9,576.00')
  expect(oakline).toContain('€9,405.00')
})

test('approval: the two offers are read side by side', async () => {
  const steps = (find('approval').request.plan as Plan).steps
  expect(steps.filter((step) => 'instruction' in step && step.depends_on?.length === 0)).toHaveLength(2)
  const id = await bench.create(find('approval').request)
  const events = await bench.seen(id, 'step.done', 1)
  const streamed = events.filter(({ payload }) => payload.value?.kind === 'content_delta')
  expect(new Set(streamed.map(({ payload }) => payload.value?.task_id)).size).toBe(2)
  await bench.command(id, 'cancel')
})

test('approval: rejected, the run fails and orders nothing', async () => {
  const id = await bench.create(atOnce(find('approval')))
  await bench.waits(id)
  await bench.signal(id, 'reject', { payload: { reason: 'Too expensive' } })
  const events = await bench.ended(id)
  expect(outline(events).at(-1)).toBe('failed signal_rejected')
  expect(textOf(events)).not.toContain('Order to')
})

test('retry: one failure is repeated by the service, the other is mended by a retry of the client', async () => {
  const { id, events } = await bench.play(atOnce(find('retry')))
  expect(ofType(events, 'step.done').map(({ outcome }) => outcome)).toEqual(['retry_step', 'succeeded', 'fail_run'])
  expect(await bench.include(id, 'failure')).toMatchObject({
    reason_code: 'provider_error',
    message: expect.stringContaining('The monthly quota of the model account is used up.'),
  })
  expect((await bench.command(id, 'retry')).status).toBe(200)
  const after = await bench.ended(id, 2)
  expect(outline(after).at(-1)).toBe('succeeded')
  expect(toolResults(after)).toEqual(['{"result":1472}'])
  expect(await resultOf(id)).toMatchObject({ output: { invoice: 4711, booked_eur: 1472 } })
})

test('stream: the whole text arrives, and its sums are right', async () => {
  const [step] = find('stream').request.input.sandbox.steps ?? []
  const { id, events } = await bench.play(atOnce(find('stream')))
  expect(textOf(events)).toBe(step?.say)
  expect(await resultOf(id)).toEqual({ content: step?.say, output: { total: 14600 } })
  const prices = [...(step?.say ?? '').matchAll(/^\| [^*|]+ \| €([\d,]+) \|$/gm)].map(([, text]) => text ?? '')
  const sum = prices.reduce((total, price) => total + Number(price.replace(',', '')), 0)
  expect(sum).toBe(14600)
})
