// The JSON Schemas of all routes, by route name, and the components they refer to.
import type { z } from 'zod'
import { errorSchema } from '../errors.ts'
import { customerEventSchema } from '../events.ts'
import { planSchema } from '../plan.ts'
import { type Route, type RouteName, routes } from '../routes.ts'
import { runsChangedSchema, runsPageSchema } from '../runs.ts'
import { sandboxScriptSchema } from '../sandbox.ts'
import { webhookMessageSchema } from '../webhooks.ts'
import { eventUnion, typedEventSchemas } from './events.ts'
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
  sandbox: sandboxScriptSchema,
})

const answersOf = ([name, { ok }]: [RouteName, Route]) =>
  Object.entries(ok).flatMap(([status, schema]) => (typeof schema === 'string' ? [] : [[`${name} ${status}`, schema]]))

const answerSchemas = (): Named => ({
  ...Object.fromEntries(allRoutes.flatMap(answersOf)),
  ...typedEventSchemas(),
  error: errorSchema,
  'customer event': customerEventSchema,
  'runs.page': runsPageSchema,
  'runs.changed': runsChangedSchema,
  'webhook message': webhookMessageSchema,
})

/** `contentSchema` says what the `data` of each message is. OpenAPI 3.1 has no other way to say it. */
const streamOf = (...names: string[]) => {
  const references = names.map((name) => ({ $ref: `#/components/schemas/${name}` }))
  const contentSchema = references.length === 1 ? references[0] : { anyOf: references }
  return { type: 'string', contentMediaType: 'text/event-stream', contentSchema }
}

const streams: Readonly<Record<string, JsonObject>> = {
  [routes.streamEvents.path]: streamOf('Event'),
  [routes.streamRuns.path]: streamOf('RunsPage', 'RunsChanged'),
  [routes.streamCustomerEvents.path]: streamOf('CustomerEvent'),
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
    components: sortByName({ ...answers.components, ...requests.components, Event: eventUnion }),
  }
}
