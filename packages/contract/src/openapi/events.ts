// Events as a published union: one schema per event type, with `type` as the discriminator.
import { z } from 'zod'
import { eventTexts } from '../event-texts.ts'
import { type EventType, eventPayloads, eventSchema, eventTypes, terminalEventTypes } from '../events.ts'
import { exampleEvents } from '../examples/events.ts'
import type { JsonObject } from './schemas.ts'

/** `run.worker.retry_scheduled` → `RunWorkerRetryScheduled` */
const pascalCase = (type: EventType) =>
  type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

const componentName = (type: EventType) => `${pascalCase(type)}Event`

const describeEvent = (type: EventType) =>
  (terminalEventTypes as readonly EventType[]).includes(type)
    ? `${eventTexts[type]} Ends the run: nothing follows unless it is retried.`
    : eventTexts[type]

const typedEventSchema = (type: EventType) => {
  const payload = eventPayloads[type] as z.ZodObject
  const value = payload.meta({ id: `${pascalCase(type)}Payload` })
  return eventSchema.extend({ type: z.literal(type), payload: z.object({ redacted: z.boolean(), value }) }).meta({
    id: componentName(type),
    description: describeEvent(type),
    examples: exampleEvents.filter((event) => event.type === type),
  })
}

/** Built on demand, because most importers of the contract never publish it. */
export const typedEventSchemas = () =>
  Object.fromEntries(eventTypes.map((type) => [componentName(type), typedEventSchema(type)]))

const reference = (type: EventType) => `#/components/schemas/${componentName(type)}`

export const eventUnion: JsonObject = {
  description:
    'One event of a run. Polling and streaming return the same events. `seq` is 1, 2, 3 … without gaps. ' +
    'New types may be added: ignore types you do not know.',
  oneOf: eventTypes.map((type) => ({ $ref: reference(type) })),
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(eventTypes.map((type) => [type, reference(type)])),
  },
}
