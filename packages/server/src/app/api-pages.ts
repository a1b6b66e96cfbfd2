// The pages beside the API: the console and its sessions, the docs, and the package of the client.
import { existsSync } from 'node:fs'
import { openApiDocument } from '@runwright/contract'
import type { FastifyInstance } from 'fastify'
import { clientPackageRoutes } from '../http/pages/client-package.ts'
import { consoleRoutes } from '../http/pages/console.ts'
import { consoleSessionRoutes } from '../http/pages/console-session.ts'
import { docsRoutes } from '../http/pages/docs.ts'
import { version } from '../runtime/version.ts'

export function mountPages(http: FastifyInstance, access: Parameters<typeof consoleSessionRoutes>[1]): void {
  consoleRoutes(http, { folder: siteFolder('console') })
  consoleSessionRoutes(http, access)
  clientPackageRoutes(http, { folder: siteFolder('client'), version })
  docsRoutes(http, { document: JSON.stringify(openApiDocument()), folder: siteFolder('docs') })
}

/**
 * Where the built console, docs and client package are. The npm package contains them in `sites`; in a checkout they
 * are in the packages next to this one.
 */
const packed = new URL('../../sites/', import.meta.url)
const packages = new URL('../../../', import.meta.url)

const siteFolder = (name: 'console' | 'docs' | 'client'): URL =>
  existsSync(packed) ? new URL(`${name}/`, packed) : new URL(`${name}/dist/`, packages)
