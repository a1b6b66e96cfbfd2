// Every guide, run as a reader would, one after another: its files are written, its commands run, and they print what
// it says. What a guide starts keeps running until the last one has ended, so two guides must not share a folder or a
// port.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readGuide } from './guide-blocks.ts'
import { Reader } from './reader.ts'
import { newReaderHome, type ReaderHome } from './reader-home.ts'

const folder = join(import.meta.dirname, '../../../../docs/guides')
const guides = readdirSync(folder).filter((name) => name.endsWith('.md'))
const hasNginx = (process.env.PATH ?? '').split(delimiter).some((place) => existsSync(join(place, 'nginx')))
if (!hasNginx)
  console.error('No nginx in PATH: its recipe in the cookbook is skipped. Install it: apt-get install nginx')

function read(name: string): string {
  const text = readFileSync(join(folder, name), 'utf8')
  return hasNginx ? text : text.replace(/^## nginx [\s\S]*?(?=^## |(?![\s\S]))/m, '')
}

let home: ReaderHome
const readers: Reader[] = []
beforeAll(async () => {
  home = await newReaderHome({ migrated: false })
})
afterAll(async () => {
  await Promise.all(readers.map((reader) => reader.close()))
  await home.remove()
})

test.each(guides)('%s works as written', { timeout: 240_000 }, async (name) => {
  const reader = new Reader(home)
  readers.push(reader)
  await reader.follow(readGuide(read(name)))
})

test('every guide installs Runwright in the same way, in a folder of its own', () => {
  const installs = guides.map((guide) => readGuide(read(guide))[0]?.text ?? '')
  const folders = installs.map(
    (text) => /^mkdir (\S+)\ncd \1\nnpm install \.\.\/runwright\/packages\/server\n$/.exec(text)?.[1],
  )
  expect(new Set(folders).size).toBe(guides.length)
  expect(folders).not.toContain(undefined)
})

test('no guide needs a paid key: what names one is only shown, and one that does says how', () => {
  for (const guide of guides) {
    const run = readGuide(read(guide)).filter(({ kind }) => kind !== 'shown')
    expect(run.map(({ text }) => text).join(), guide).not.toContain('sk-')
  }
})
