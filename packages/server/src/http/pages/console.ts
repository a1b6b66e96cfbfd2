// The web console at /console/, where / leads to. All files of the build are read at startup, so a rebuild does not affect open pages.
// File names never come from a request.
import type { FastifyInstance } from 'fastify'
import { pageHeaders } from '../server/security-headers.ts'
import { type BuiltFile, readBuild } from './console-build.ts'
import { type Asset, serveAsset } from './static-asset.ts'

interface ConsoleOptions {
  /** The output of `npm run build`. */
  readonly folder: URL | string
}

const headers = pageHeaders({ inlineStyles: false })

const notBuilt = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Runwright console</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <p>The console is not built. Run <code>npm run build</code> and restart the service.</p>
  </body>
</html>
`

const assetOf = ({ type, content }: Omit<BuiltFile, 'path'>): Asset => ({ type, headers, read: async () => content })

const startPage = 'index.html'
const html = 'text/html; charset=utf-8'

/** The names of these files contain a hash of their content, so they can be cached forever. */
const isHashed = ({ path }: BuiltFile) => path.startsWith('assets/')

export const consoleRoutes = (app: FastifyInstance, { folder }: ConsoleOptions): void => {
  const files = readBuild(folder)
  const start = files.find(({ path }) => path === startPage)
  serveAsset(app, '/console/', assetOf(start ?? { type: html, content: Buffer.from(notBuilt) }))
  // Relative, so that they also work behind a proxy that strips a path prefix.
  app.get('/', (_request, reply) => reply.redirect('console/', 302))
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
