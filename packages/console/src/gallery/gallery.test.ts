import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const read = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.tsx'))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .join('\n')

/** Each is around every page, also around the gallery. */
const frames = ['ErrorBoundary', 'Page', 'StatusLine']

test('every shared component is in the gallery', () => {
  const parts = read(join(import.meta.dirname, '../parts'))
  const names = [...parts.matchAll(/^export (?:function|const) ([A-Z]\w+)[<( ]/gm)].map(([, name]) => name)
  const gallery = read(import.meta.dirname)
  expect(names.length).toBeGreaterThan(30)
  expect(names.filter((name) => !frames.includes(name ?? '') && !gallery.includes(`<${name}`))).toEqual([])
})
