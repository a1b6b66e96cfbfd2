// The version of the service, from its package.json.
import { readFileSync } from 'node:fs'

const { version: packageVersion } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string }

export const version = packageVersion
