// The JSON Schemas of all routes, by route name, and the components they refer to.
import type { z } from 'zod'
import { type Route, type RouteName, routes } from '../routes/routes.ts'
import { errorSchema } from '../schemas/errors.ts'
import { streamPositionSchema } from '../schemas/events.ts'
import { planSchema } from '../schemas/plan.ts'
import { rubricSchema } from '../schemas/rubric.ts'
import { runsChangedSchema, runsPageSchema } from '../schemas/runs.ts'
import { sandboxScriptSchema } from '../schemas/sandbox.ts'
import { webhookMessageSchema } from '../schemas/webhooks.ts'
import { eventUnions, typedEventSchemas } from './events.ts'
import { type JsonObject, toJsonSchemas } from './schemas.ts'

export interface RouteSchemas {
  readonly query: (name: RouteName) => JsonObject | undefined
  readonly body: (name: RouteName) => JsonObject | undefined
  readonly ok: (name: RouteName, status: number) => JsonObject
  readonly components: Readonly<Record<string, JsonObject>>
}

type Named = Readonly<Record<string, z.ZodType>>

const allRoutes = Object.entries(routes) as [RouteName, Route][]

const requestSchemas = (): Named => ({
  ...Object.fromEntries(allRoutes.flatMap(([name, { query }]) => (query ? [[`${name} query`, query]] : []))),
  ...Object.fromEntries(allRoutes.flatMap(([name, { body }]) => (body ? [[`${name} body`, body]] : []))),
  plan: planSchema,
  rubric: rubricSchema,
  sandbox: sandboxScriptSchema,
})

const answersOf = ([name, { ok }]: [RouteName, Route]) =>
  Object.entries(ok).flatMap(([status, schema]) => (typeof schema === 'string' ? [] : [[`${name} ${status}`, schema]]))

const answerSchemas = (): Named => ({
  ...Object.fromEntries(allRoutes.flatMap(answersOf)),
  ...typedEventSchemas(),
  error: errorSchema,
  'stream position': streamPositionSchema,
  'runs.page': runsPageSchema,
  'runs.changed': runsChangedSchema,
  'webhook message': webhookMessageSchema,
})

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/**
 * The data of one message of each stream. It stands as the schema of `text/event-stream`, as in most published
 * documents: generators that read streams take it for the type of an item, and the others ignore it. OpenAPI 3.2 has
 * `itemSchema` for this; in 3.1 it is not valid, and no generator that we test reads it.
 */
const streamItems: Readonly<Record<string, JsonObject>> = {
  EventStreamItem: {
    description: 'The data of a message: an Event, or the Error of a message named `error`, which ends the stream',
    anyOf: ['Event', 'Error'].map(reference),
  },
  RunsStreamItem: {
    description: 'The data of a message named `runs.page`, `runs.changed` or `error`, in this order',
    anyOf: ['RunsPage', 'RunsChanged', 'Error'].map(reference),
  },
  CustomerEventStreamItem: {
    description: 'The data of a message named `run_event`, `position` or `error`, in this order',
    anyOf: ['CustomerEvent', 'StreamPosition', 'Error'].map(reference),
  },
}

const streams: Readonly<Record<string, JsonObject>> = {
  [routes.streamEvents.path]: reference('EventStreamItem'),
  [routes.streamRuns.path]: reference('RunsStreamItem'),
  [routes.streamCustomerEvents.path]: reference('CustomerEventStreamItem'),
}

const withoutZod = ({ path }: Route) => ({
  'event stream': streams[path] ?? {},
  'schema document': { type: 'object' },
  'no content': {},
})

const sortByName = (components: Readonly<Record<string, JsonObject>>) =>
  Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)))

export const collectRouteSchemas = (): RouteSchemas => {
  const requests = toJsonSchemas(requestSchemas(), 'input')
  const answers = toJsonSchemas(answerSchemas(), 'output')
  return {
    query: (name) => requests.byName[`${name} query`],
    body: (name) => requests.byName[`${name} body`],
    ok: (name, status) => {
      const route: Route = routes[name]
      const schema = route.ok[status]
      return typeof schema === 'string' ? withoutZod(route)[schema] : (answers.byName[`${name} ${status}`] ?? {})
    },
    components: sortByName({
      ...answers.components,
      ...requests.components,
      ...streamItems,
      ...eventUnions,
    }),
  }
}
