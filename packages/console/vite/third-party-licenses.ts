// Writes the licenses of the packages in the bundle beside it, with that of the font, which no module imports.
import { createRequire } from 'node:module'
import type { Plugin } from 'vite'
import { licensesOf } from '../../../scripts/licenses.mjs'

const { resolve } = createRequire(import.meta.url)
const font = resolve('@fontsource-variable/inter/package.json')

export const thirdPartyLicenses = (): Plugin => ({
  name: 'third-party-licenses',
  apply: 'build',
  generateBundle(_options, output) {
    const modules = Object.values(output).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
    const source = licensesOf([...modules, font])
    this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-LICENSES.txt', source })
  },
})
