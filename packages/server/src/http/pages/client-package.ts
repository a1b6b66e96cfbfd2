// `/client.tgz`: the TypeScript client as an npm package, of the same version as the service. It installs alone:
// `npm install http://127.0.0.1:8080/client.tgz`.
import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { serveAsset } from './static-asset.ts'

interface ClientPackageOptions {
  /** Where the build puts the package. */
  readonly folder: URL
  readonly version: string
}

export const clientPackageRoutes = (app: FastifyInstance, { folder, version }: ClientPackageOptions): void => {
  const name = `runwright-client-${version}.tgz`
  const asset = {
    type: 'application/gzip',
    headers: { 'content-disposition': `attachment; filename="${name}"` },
    read: () => readFile(new URL(name, folder)),
  }
  serveAsset(app, '/client.tgz', asset)
  serveAsset(app, `/${name}`, asset)
}
