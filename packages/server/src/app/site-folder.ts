// Where the built console, docs and client package are. The npm package contains them in `sites`; in a checkout they
// are in the packages next to this one.
import { existsSync } from 'node:fs'

const packed = new URL('../../sites/', import.meta.url)
const packages = new URL('../../../', import.meta.url)

export const siteFolder = (name: 'console' | 'docs' | 'client'): URL =>
  existsSync(packed) ? new URL(`${name}/`, packed) : new URL(`${name}/dist/`, packages)
