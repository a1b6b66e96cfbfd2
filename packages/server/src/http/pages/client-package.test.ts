import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Fastify from 'fastify'
import { afterAll, expect, test } from 'vitest'
import { clientPackageRoutes } from './client-package.ts'

const folder = mkdtempSync(join(tmpdir(), 'runwright-client-package-'))
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'runwright-client-1.2.3.tgz'), 'a package')

test.each(['/client.tgz', '/runwright-client-1.2.3.tgz'])(
  '%s is the package, with its version in the name',
  async (url) => {
    const app = Fastify()
    clientPackageRoutes(app, { folder: pathToFileURL(`${folder}/`), version: '1.2.3' })
    const response = await app.inject({ url })
    expect(response.body).toBe('a package')
    expect(response.headers).toMatchObject({
      'content-type': 'application/gzip',
      'content-disposition': 'attachment; filename="runwright-client-1.2.3.tgz"',
    })
  },
)
