import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { openApiDocument } from '../openapi/document.ts'
import { type Route, type RouteName, routes } from '../routes/routes.ts'
import { errorSchema } from '../schemas/errors.ts'
import { eventPayloads, eventSchema, eventTypes } from '../schemas/events.ts'
import { planSchema } from '../schemas/plan.ts'
import { sandboxScriptSchema } from '../schemas/sandbox.ts'
import { publicReasonCodes } from '../vocabulary/reasons.ts'
import { exampleError } from './errors.ts'
import { exampleEvents } from './events.ts'
import { routeExamples } from './examples.ts'
import { runId } from './ids.ts'
import { createRunBodies } from './runs.ts'

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { 'date-time': instant } })
ajv.addSchema(openApiDocument(), 'openapi')

const errorsOf = (pointer: string, value: unknown) => {
  const validate = ajv.compile({ $ref: `openapi#${pointer}` })
  return validate(value) ? [] : validate.errors
}

const escapePointer = (part: string) =>
  part.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')
const pointerOf = ({ method, path }: Route) => `/paths/${escapePointer(path)}/${method.toLowerCase()}`

const bodies = (Object.entries(routes) as [RouteName, Route][]).flatMap(([name, route]) =>
  Object.entries(routeExamples[name].body ?? {}).map(([example, { value }]) => ({ name, route, example, value })),
)

const answers = (Object.entries(routes) as [RouteName, Route][]).flatMap(([name, route]) =>
  Object.entries(routeExamples[name].ok).flatMap(([status, examples]) =>
    Object.entries(examples).map(([example, { value }]) => ({ name, route, status: Number(status), example, value })),
  ),
)

test.each(bodies)('the body "$example" of $name is accepted by its schema, as code and as published', (one) => {
  expect((one.route.body as z.ZodType).safeParse(one.value).error).toBeUndefined()
  const pointer = `${pointerOf(one.route)}/requestBody/content/application~1json/schema`
  expect(errorsOf(pointer, one.value)).toEqual([])
})

test.each(answers.filter(({ route, status }) => route.ok[status] === 'event stream'))(
  'the message "$example" of $name is one that its schema allows',
  ({ route, status, value }) => {
    const pointer = `${pointerOf(route)}/responses/${status}/content/text~1event-stream/schema`
    expect(errorsOf(pointer, value)).toEqual([])
    expect(errorsOf(pointer, { seq: 'one' })).not.toEqual([])
  },
)

test.each(answers.filter(({ route, status }) => typeof route.ok[status] !== 'string'))(
  'the answer "$example" of $name ($status) is one that its schema allows, as code and as published',
  ({ route, status, value }) => {
    const schema = route.ok[status] as z.ZodObject
    expect(schema.strict().safeParse(value).error).toBeUndefined()
    const pointer = `${pointerOf(route)}/responses/${status}/content/application~1json/schema`
    expect(errorsOf(pointer, value)).toEqual([])
  },
)

test('every response of every route has an example', () => {
  const shown = answers.map(({ name, status }) => `${name} ${status}`)
  const expected = Object.entries(routes).flatMap(([name, { ok }]) =>
    Object.entries(ok).flatMap(([status, schema]) => (schema === 'no content' ? [] : [`${name} ${status}`])),
  )
  expect(new Set(shown)).toEqual(new Set(expected))
})

test('every query example is accepted by its route', () => {
  for (const [name, { query }] of Object.entries(routes) as [RouteName, Route][]) {
    const examples = Object.entries(routeExamples[name].query ?? {}).map(([key, value]) => [key, String(value)])
    expect(examples.map(([key]) => key).sort()).toEqual(Object.keys(query?.shape ?? {}).sort())
    expect(query?.safeParse(Object.fromEntries(examples)).error).toBeUndefined()
  }
})

test('the plan and the sandbox script of the examples are valid', () => {
  const { planned, rehearsed } = createRunBodies
  expect(planSchema.safeParse(planned.value.plan).error).toBeUndefined()
  expect(sandboxScriptSchema.safeParse(rehearsed.value.input.sandbox).error).toBeUndefined()
  expect(errorsOf('/components/schemas/SandboxScript', rehearsed.value.input.sandbox)).toEqual([])
})

describe('events', () => {
  test('there is an example of every type', () => {
    expect(exampleEvents.map(({ type }) => type).sort()).toEqual([...eventTypes].sort())
  })

  test.each(exampleEvents)('the example of $type has the payload of its type and nothing else', (event) => {
    const payload = eventPayloads[event.type] as z.ZodObject
    expect(eventSchema.safeParse(event).error).toBeUndefined()
    expect(payload.strict().safeParse(event.payload.value).error).toBeUndefined()
    expect(errorsOf('/components/schemas/Event', event)).toEqual([])
  })

  test('an event with the payload of another type is not valid', () => {
    const [created] = exampleEvents
    expect(errorsOf('/components/schemas/Event', { ...created, type: 'step.done' })).not.toEqual([])
  })

  test.each(exampleEvents)('of a stream of all runs, $type has the payload of its type', (event) => {
    const withRun = { run_id: runId, ...event }
    expect(errorsOf('/components/schemas/CustomerEvent', withRun)).toEqual([])
    expect(errorsOf('/components/schemas/CustomerEvent', event)).not.toEqual([])
    expect(errorsOf('/components/schemas/CustomerEvent', { ...withRun, payload: {} })).not.toEqual([])
  })
})

test.each(publicReasonCodes)('the example of %s is an error envelope', (code) => {
  expect(errorSchema.strict().safeParse(exampleError(code)).error).toBeUndefined()
  expect(errorsOf('/components/schemas/Error', exampleError(code))).toEqual([])
})
