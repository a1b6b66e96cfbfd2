// The schema and its pages: `/openapi.json`, and `/docs` with Swagger UI from node_modules. Nothing is loaded from outside.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { type Asset, serveAsset } from './docs-asset.ts'
import { initializer, page } from './docs-page.ts'

export interface DocsOptions {
  /** The OpenAPI document as JSON. */
  readonly document: string
}

const policy = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const headers = { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' }

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

/** A fixed list: no part of a request ever becomes the name of a file. */
const pages: Readonly<Record<string, Asset>> = {
  '/docs': fromText(html, page),
  '/docs/initializer.js': fromText(script, initializer),
  '/docs/swagger-ui-bundle.js': fromPackage(script, 'swagger-ui-bundle.js'),
  '/docs/swagger-ui.css': fromPackage(stylesheet, 'swagger-ui.css'),
}

/** HEAD comes with GET. Anything else below `/docs` is the app's own "not found". */
export const docsRoutes = (app: FastifyInstance, { document }: DocsOptions): void => {
  serveAsset(app, '/openapi.json', {
    type: 'application/json; charset=utf-8',
    headers: {},
    read: async () => Buffer.from(document),
  })
  for (const [path, asset] of Object.entries(pages)) serveAsset(app, path, asset)
  // Relative, so that it also works below a path that a proxy has taken off.
  app.get('/docs/', (_request, reply) => reply.redirect('../docs', 308))
}
