// Cuts the font of the console down to the characters and weights that it uses, before Vite reads its style sheet.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import subsetFont from 'subset-font'
import type { Plugin } from 'vite'

/** As in the `unicode-range` of `src/fonts.css`: a browser loads the second file only for a text that needs it. */
const files = {
  latin: [
    [0x20, 0x7e],
    [0xa0, 0xff],
    [0x2010, 0x203a],
    [0x20ac, 0x20ac],
    [0x2122, 0x2122],
    [0x2190, 0x2193],
    [0x2212, 0x2215],
    [0x2264, 0x2265],
  ],
  'latin-ext': [[0x100, 0x24f]],
} as const

/** Kerning, marks, and figures of one width for tables: `tabular-nums`. */
const keepFeatures = ['kern', 'mark', 'mkmk', 'ccmp', 'locl', 'tnum']
const variationAxes = { wght: { min: 400, max: 700 } }
const folder = new URL('../.fonts/', import.meta.url)
const { resolve } = createRequire(import.meta.url)

const charactersOf = (ranges: readonly (readonly [number, number])[]): string =>
  ranges
    .flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, n) => String.fromCodePoint(first + n)))
    .join('')

async function writeSubset(name: keyof typeof files): Promise<void> {
  const whole = readFileSync(resolve(`@fontsource-variable/inter/files/inter-${name}-wght-normal.woff2`))
  const options = { targetFormat: 'woff2', variationAxes, keepFeatures } as const
  const subset = await subsetFont(whole, charactersOf(files[name]), options)
  writeFileSync(fileURLToPath(new URL(`inter-${name}.woff2`, folder)), subset)
}

export const fontSubsets = (): Plugin => ({
  name: 'font-subsets',
  async config() {
    mkdirSync(folder, { recursive: true })
    await writeSubset('latin')
    await writeSubset('latin-ext')
  },
})
