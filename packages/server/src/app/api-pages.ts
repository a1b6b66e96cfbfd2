// The pages beside the API: the console and its sessions, the docs, and the packages of the client and the command.
import { existsSync } from 'node:fs'
import { openApiDocument } from '@runwright/contract'
import type { FastifyInstance } from 'fastify'
import { consoleRoutes } from '../http/pages/console.ts'
import { consoleCostRoutes } from '../http/pages/console-costs.ts'
import { consoleHistoryRoute } from '../http/pages/console-history.ts'
import { consoleSessionRoutes } from '../http/pages/console-session.ts'
import { consoleTicksRoute } from '../http/pages/console-ticks.ts'
import { docsRoutes } from '../http/pages/docs.ts'
import { npmPackageRoutes } from '../http/pages/npm-package.ts'
import { signInRoutes } from '../http/pages/sign-in.ts'
import { signInLinkRoute } from '../http/pages/sign-in-link.ts'
import { version } from '../runtime/version.ts'

export function mountPages(
  http: FastifyInstance,
  access: Parameters<typeof consoleSessionRoutes>[1] &
    Parameters<typeof consoleHistoryRoute>[1] &
    Parameters<typeof consoleCostRoutes>[1] &
    Parameters<typeof signInRoutes>[1],
): void {
  consoleRoutes(http, { folder: siteFolder('console') })
  consoleSessionRoutes(http, access)
  signInRoutes(http, access)
  signInLinkRoute(http, access)
  consoleTicksRoute(http, access)
  consoleHistoryRoute(http, access)
  consoleCostRoutes(http, access)
  for (const name of ['client', 'cli'] as const) npmPackageRoutes(http, { name, folder: siteFolder(name), version })
  docsRoutes(http, { document: JSON.stringify(openApiDocument()), folder: siteFolder('docs') })
}

/** Where the build of a checkout puts them, beside this package or in it. */
const built = {
  console: 'console/dist/',
  docs: 'docs/dist/',
  client: 'client/dist/',
  cli: 'server/dist/cli-package/',
} as const

/** The npm package contains them in `sites`. */
const packed = new URL('../../sites/', import.meta.url)
const packages = new URL('../../../', import.meta.url)

const siteFolder = (name: keyof typeof built): URL =>
  existsSync(packed) ? new URL(`${name}/`, packed) : new URL(built[name], packages)
