// The web console at /console/, where / leads to.
import type { FastifyInstance } from 'fastify'
import { serveSite } from './site.ts'

interface ConsoleOptions {
  /** The output of `npm run build`. */
  readonly folder: URL | string
}

export const consoleRoutes = (app: FastifyInstance, { folder }: ConsoleOptions): void => {
  serveSite(app, { path: 'console', name: 'console', folder, isHashed: (path) => path.startsWith('assets/') })
  // Relative, so that it also works behind a proxy that strips a path prefix.
  app.get('/', (_request, reply) => reply.redirect('console/', 302))
}
