// `/openapi.json`, and `/docs` with Swagger UI from node_modules. Nothing is loaded from other hosts.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { pageHeaders } from '../server/security-headers.ts'
import { initializer, page } from './docs-page.ts'
import { type Asset, serveAsset } from './static-asset.ts'

interface DocsOptions {
  /** The OpenAPI document as JSON. */
  readonly document: string
}

const headers = pageHeaders({ inlineStyles: true })

const html = 'text/html; charset=utf-8'
const script = 'text/javascript; charset=utf-8'
const stylesheet = 'text/css; charset=utf-8'

const { resolve } = createRequire(import.meta.url)

const fromText = (type: string, text: string): Asset => ({ type, headers, read: async () => Buffer.from(text) })

const fromPackage = (type: string, file: string): Asset => ({
  type,
  headers,
  read: () => readFile(resolve(`swagger-ui-dist/${file}`)),
})

/** A fixed list: file names never come from a request. */
const pages: Readonly<Record<string, Asset>> = {
  '/docs': fromText(html, page),
  '/docs/initializer.js': fromText(script, initializer),
  '/docs/swagger-ui-bundle.js': fromPackage(script, 'swagger-ui-bundle.js'),
  '/docs/swagger-ui.css': fromPackage(stylesheet, 'swagger-ui.css'),
}

/** Fastify adds HEAD to each GET. Any other path below `/docs` gets the regular 404. */
export const docsRoutes = (app: FastifyInstance, { document }: DocsOptions): void => {
  serveAsset(app, '/openapi.json', {
    type: 'application/json; charset=utf-8',
    headers: {},
    read: async () => Buffer.from(document),
  })
  for (const [path, asset] of Object.entries(pages)) serveAsset(app, path, asset)
  // Relative, so that it also works behind a proxy that strips a path prefix.
  app.get('/docs/', (_request, reply) => reply.redirect('../docs', 308))
}
