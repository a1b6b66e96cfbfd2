import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Fastify from 'fastify'
import { afterAll, expect, test } from 'vitest'
import { npmPackageRoutes } from './npm-package.ts'

const folder = mkdtempSync(join(tmpdir(), 'runwright-package-'))
afterAll(() => rmSync(folder, { recursive: true }))

test.each(['client', 'cli'] as const)('/%s.tgz is a package, with its version in the name', async (name) => {
  const file = `runwright-${name}-1.2.3.tgz`
  writeFileSync(join(folder, file), `the ${name}`)
  const app = Fastify()
  npmPackageRoutes(app, { name, folder: pathToFileURL(`${folder}/`), version: '1.2.3' })
  for (const url of [`/${name}.tgz`, `/${file}`]) {
    const response = await app.inject({ url })
    expect(response.body).toBe(`the ${name}`)
    expect(response.headers).toMatchObject({
      'content-type': 'application/gzip',
      'content-disposition': `attachment; filename="${file}"`,
    })
  }
})
