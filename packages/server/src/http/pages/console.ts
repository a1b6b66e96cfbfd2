// The web console at /console/: the files of its build, all read at the start, so that a build under way changes nothing
// for those who look. No part of a request ever becomes the name of a file.
import type { FastifyInstance } from 'fastify'
import { type BuiltFile, readBuild } from './console-build.ts'
import { type Asset, serveAsset } from './docs-asset.ts'

export interface ConsoleOptions {
  /** Where `npm run build` put the console. */
  readonly folder: URL | string
}

const policy = [
  "default-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const headers = { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' }

const notBuilt = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Runwright console</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <p>The console is not built yet: run <code>npm run build</code> and start the service again.</p>
  </body>
</html>
`

const assetOf = ({ type, content }: Omit<BuiltFile, 'path'>): Asset => ({ type, headers, read: async () => content })

const startPage = 'index.html'
const html = 'text/html; charset=utf-8'

/** The build names these after a hash of their content: what has the name has the content, for ever. */
const isHashed = ({ path }: BuiltFile) => path.startsWith('assets/')

export const consoleRoutes = (app: FastifyInstance, { folder }: ConsoleOptions): void => {
  const files = readBuild(folder)
  const start = files.find(({ path }) => path === startPage)
  serveAsset(app, '/console/', assetOf(start ?? { type: html, content: Buffer.from(notBuilt) }))
  // Relative, so that it also works below a path that a proxy has taken off.
  app.get('/console', (_request, reply) => reply.redirect('console/', 308))
  for (const file of files.filter((one) => one !== start && !isHashed(one))) serveFile(app, file)
  app.register(async (scope) => {
    scope.addHook('onSend', async (_request, reply) => {
      if (reply.statusCode < 400) reply.header('cache-control', 'public, max-age=31536000, immutable')
    })
    for (const file of files.filter(isHashed)) serveFile(scope, file)
  })
}

const serveFile = (app: FastifyInstance, file: BuiltFile) => serveAsset(app, `/console/${file.path}`, assetOf(file))
