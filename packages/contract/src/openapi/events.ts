// Events as published unions: one schema per event type, with `type` as the discriminator.
import { z } from 'zod'
import { exampleEvents } from '../examples/events.ts'
import { eventTexts } from '../schemas/event-texts.ts'
import {
  customerEventSchema,
  type EventType,
  eventPayloads,
  eventSchema,
  eventTypes,
  failureEventTypes,
  terminalEventTypes,
} from '../schemas/events.ts'
import type { JsonObject } from './schemas.ts'

/** `run.worker.retry_scheduled` → `RunWorkerRetryScheduled` */
const pascalCase = (type: EventType) =>
  type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

const componentName = (type: EventType) => `${pascalCase(type)}Event`
const customerComponentName = (type: EventType) => `Customer${componentName(type)}`

const describeEvent = (type: EventType) =>
  isIn(terminalEventTypes, type) ? `${eventTexts[type]} ${describeEnd(type)}` : eventTexts[type]

/** Only a failed run can be retried. */
const describeEnd = (type: EventType) =>
  `Ends the run: nothing follows${isIn(failureEventTypes, type) ? ' unless it is retried' : ''}.`

const isIn = (types: readonly EventType[], type: EventType) => types.includes(type)

const typedFields = (type: EventType) => {
  const payload = eventPayloads[type] as z.ZodObject
  const value = payload.meta({ id: `${pascalCase(type)}Payload` })
  return { type: z.literal(type), payload: z.object({ redacted: z.boolean(), value }) }
}

const typedSchemasOf = (type: EventType): [string, z.ZodType][] => {
  const fields = typedFields(type)
  const event = eventSchema.extend(fields).meta({
    id: componentName(type),
    description: describeEvent(type),
    examples: exampleEvents.filter((event) => event.type === type),
  })
  const id = customerComponentName(type)
  return [
    [componentName(type), event],
    [id, customerEventSchema.extend(fields).meta({ id, description: describeEvent(type) })],
  ]
}

/** Built on demand, because most importers of the contract never publish it. */
export const typedEventSchemas = () => Object.fromEntries(eventTypes.flatMap(typedSchemasOf))

const union = (description: string, nameOf: (type: EventType) => string): JsonObject => {
  const reference = (type: EventType) => `#/components/schemas/${nameOf(type)}`
  return {
    description: `${description} New types may be added: ignore types you do not know.`,
    oneOf: eventTypes.map((type) => ({ $ref: reference(type) })),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(eventTypes.map((type) => [type, reference(type)])),
    },
  }
}

export const eventUnions: Readonly<Record<string, JsonObject>> = {
  Event: union(
    'One event of a run. Polling and streaming return the same events. `seq` is 1, 2, 3 … without gaps.',
    componentName,
  ),
  CustomerEvent: union('An event of one of the runs of the customer.', customerComponentName),
}
