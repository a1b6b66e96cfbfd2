// The version of this service, from its package.
import { readFileSync } from 'node:fs'

const { version: packageVersion } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string }

export const version = packageVersion
