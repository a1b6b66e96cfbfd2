// The built site of the documentation: every page of docs/ is in it, and every link in it leads somewhere.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { contents } from '../../docs/build/contents.mjs'

const root = join(import.meta.dirname, '../../..')
const site = join(root, 'packages/docs/dist')
const namesIn = (folder: string, ending: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .sort()

const pages = namesIn(site, '.html')
const read = (page: string) => readFileSync(join(site, page), 'utf8')
const idsIn = (page: string) => new Set([...read(page).matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id))

test('every Markdown file of docs/ is in the table of contents once', () => {
  const decisions = readdirSync(join(root, 'docs/decisions')).filter((name) => name !== 'README.md')
  const listed = contents(decisions).flatMap(({ entries }) => entries.map(({ source }) => source))
  expect(listed.filter((source) => source !== 'openapi' && !source.startsWith('../')).sort()).toEqual(
    namesIn(join(root, 'docs'), '.md'),
  )
})

function leadsNowhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = normalize(path === '' ? page : join(dirname(page), path === './' ? '.' : path)).replace(/\/$/, '')
  const file = ['.', ''].includes(target) ? 'index.html' : target
  if (file.startsWith('../console')) return false
  if (!existsSync(join(site, file))) return true
  return anchor !== undefined && !idsIn(file.endsWith('.html') ? file : join(file, 'index.html')).has(anchor)
}

describe.each(pages)('%s', (page) => {
  test('has links that lead somewhere, no inline script or style, and nothing from other hosts', () => {
    const html = read(page)
    const links = [...html.matchAll(/\b(?:href|src)="([^"]+)"/g)].map(([, link = '']) => link)
    expect(links.filter((link) => !/^[a-z]+:/.test(link) && leadsNowhere(page, link))).toEqual([])
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle="|\bon\w+="/)
    expect([...html.matchAll(/\bsrc="([a-z]+:[^"]+)"/g)]).toEqual([])
  })
})
