// `/openapi.json`, and the documentation at /docs/.
import type { FastifyInstance } from 'fastify'
import { serveSite } from './site.ts'
import { serveAsset } from './static-asset.ts'

interface DocsOptions {
  /** The OpenAPI document as JSON. */
  readonly document: string
  /** The output of `npm run build`. */
  readonly folder: URL | string
}

export const docsRoutes = (app: FastifyInstance, { document, folder }: DocsOptions): void => {
  serveAsset(app, '/openapi.json', {
    type: 'application/json; charset=utf-8',
    headers: {},
    read: async () => Buffer.from(document),
  })
  serveSite(app, { path: 'docs', name: 'documentation', folder })
}
