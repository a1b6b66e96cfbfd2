// A site that another package has built, such as the console: its files below a path of the service. All files are read
// at startup, so a rebuild does not affect open pages. File names never come from a request.
import type { FastifyInstance } from 'fastify'
import { pageHeaders } from '../server/response/security-headers.ts'
import { type BuiltFile, readBuild } from './built-files.ts'
import { type Asset, serveAsset } from './static-asset.ts'

interface Site {
  /** Without slashes, such as `console`. */
  readonly path: string
  /** What it is called on the page that says that it is not built. */
  readonly name: string
  /** The output of `npm run build`. */
  readonly folder: URL | string
  /** Files whose names contain a hash of their content, so that they can be cached forever. */
  readonly isHashed?: (path: string) => boolean
}

const notBuilt = (name: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Runwright ${name}</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <p>The ${name} is not built. Run <code>npm run build</code> and restart the service.</p>
  </body>
</html>
`

const startPage = 'index.html'
const html = 'text/html; charset=utf-8'

const assetOf = ({ type, content }: Omit<BuiltFile, 'path'>): Asset => ({
  type,
  headers: pageHeaders,
  read: async () => content,
})

export const serveSite = (app: FastifyInstance, { path, name, folder, isHashed = () => false }: Site): void => {
  const files = readBuild(folder)
  const start = files.find((file) => file.path === startPage)
  const serve = (on: FastifyInstance, file: BuiltFile) => serveAsset(on, `/${path}/${file.path}`, assetOf(file))
  serveAsset(app, `/${path}/`, assetOf(start ?? { type: html, content: Buffer.from(notBuilt(name)) }))
  // Relative, so that it also works behind a proxy that strips a path prefix.
  app.get(`/${path}`, (_request, reply) => reply.redirect(`${path}/`, 308))
  for (const file of files) if (file !== start && !isHashed(file.path)) serve(app, file)
  app.register(async (scope) => {
    scope.addHook('onSend', async (_request, reply) => {
      if (reply.statusCode < 400) reply.header('cache-control', 'public, max-age=31536000, immutable')
    })
    for (const file of files) if (isHashed(file.path)) serve(scope, file)
  })
}
