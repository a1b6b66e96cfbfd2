// The published schema: an OpenAPI 3.1 document generated from the route table.

import { type Route, type RouteName, routes } from '../routes/routes.ts'
import { headers, parameters } from './headers.ts'
import { operationOf } from './operations.ts'
import { errorExamples, sharedResponses } from './responses.ts'
import { collectRouteSchemas, type RouteSchemas } from './route-schemas.ts'
import type { JsonObject } from './schemas.ts'
import { introduction, tags } from './texts.ts'
import { webhooks } from './webhooks.ts'

export interface OpenApiOptions {
  /** The base URL of the service. Default: the host that serves the document. */
  readonly serverUrl?: string
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: JsonObject
  readonly servers: readonly JsonObject[]
  readonly tags: readonly JsonObject[]
  readonly paths: Readonly<Record<string, JsonObject>>
  readonly webhooks: Readonly<Record<string, JsonObject>>
  readonly components: Readonly<Record<string, JsonObject>>
}

const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: '<key_id>:<secret>',
    description: 'The API key: its id and secret, joined by a colon. Or a token, `tok_…`',
  },
}

const pathsOf = (schemas: RouteSchemas) => {
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const [name, route] of Object.entries(routes) as [RouteName, Route][]) {
    const path = paths[route.path] ?? {}
    path[route.method.toLowerCase()] = operationOf(name, route, schemas)
    paths[route.path] = path
  }
  return paths
}

/** Takes a few milliseconds: build it once and keep the string. */
export const openApiDocument = ({ serverUrl = '/' }: OpenApiOptions = {}): OpenApiDocument => {
  const schemas = collectRouteSchemas()
  return {
    openapi: '3.1.0',
    info: {
      title: 'Runwright API',
      // Of the API, as in its paths. That of the service is not told to callers without a key.
      version: 'v1',
      description: introduction,
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    tags: tags.map(({ name, description }) => ({ name, description })),
    paths: pathsOf(schemas),
    webhooks,
    components: {
      securitySchemes,
      parameters: parameters(),
      headers: headers(),
      responses: sharedResponses,
      examples: errorExamples,
      schemas: schemas.components,
    },
  }
}
