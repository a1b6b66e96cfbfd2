// `/client.tgz` and `/cli.tgz`: the TypeScript client and the command line as npm packages, of the same version as the
// service. They install alone: `npm install http://127.0.0.1:8080/client.tgz`, `npx http://127.0.0.1:8080/cli.tgz list`.
import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { serveAsset } from './static-asset.ts'

interface NpmPackageOptions {
  readonly name: 'client' | 'cli'
  /** Where the build puts the package. */
  readonly folder: URL
  readonly version: string
}

export const npmPackageRoutes = (app: FastifyInstance, { name, folder, version }: NpmPackageOptions): void => {
  const file = `runwright-${name}-${version}.tgz`
  const asset = {
    type: 'application/gzip',
    headers: { 'content-disposition': `attachment; filename="${file}"` },
    read: () => readFile(new URL(file, folder)),
  }
  serveAsset(app, `/${name}.tgz`, asset)
  serveAsset(app, `/${file}`, asset)
}
