// The pages beside the API: the console and its sessions, the docs, and the package of the client.
import { openApiDocument } from '@runwright/contract'
import type { FastifyInstance } from 'fastify'
import { clientPackageRoutes } from '../http/pages/client-package.ts'
import { consoleRoutes } from '../http/pages/console.ts'
import { consoleSessionRoutes } from '../http/pages/console-session.ts'
import { docsRoutes } from '../http/pages/docs.ts'
import { version } from '../runtime/version.ts'
import { siteFolder } from './site-folder.ts'

export function mountPages(http: FastifyInstance, access: Parameters<typeof consoleSessionRoutes>[1]): void {
  consoleRoutes(http, { folder: siteFolder('console') })
  consoleSessionRoutes(http, access)
  clientPackageRoutes(http, { folder: siteFolder('client'), version })
  docsRoutes(http, { document: JSON.stringify(openApiDocument()), folder: siteFolder('docs') })
}
