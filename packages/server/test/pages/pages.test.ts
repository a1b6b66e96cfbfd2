// Every fenced block of the pages in docs/ is run, or read by the code that reads it in the service.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { type Fence, readFences } from '../guides/guide-blocks.ts'
import { followPage } from './follow-page.ts'
import { type PageHome, startPageHome } from './page-home.ts'

const folder = join(import.meta.dirname, '../../../../docs')
const namesIn = (part: string) => readdirSync(join(folder, part)).map((name) => join(part, name))
const pages = [...namesIn(''), ...namesIn('tools')].filter((name) => name.endsWith('.md'))

/** Other tests compare the parts that are generated with the code. The line numbers stay. */
const withoutGenerated = (markdown: string): string =>
  markdown.replace(/<!-- (\w+):begin -->[\s\S]*?<!-- \1:end -->/g, (part) => part.replace(/[^\n]+/g, ''))

const blocksOf = (page: string): Fence[] => readFences(withoutGenerated(readFileSync(join(folder, page), 'utf8')))

let home: PageHome
beforeAll(async () => {
  home = await startPageHome()
})
afterAll(() => home.close())

test.each(pages.filter((page) => blocksOf(page).length > 0))(
  '%s works as written',
  { timeout: 120_000 },
  async (page) => {
    const reader = home.newReader(page)
    try {
      await followPage(reader, blocksOf(page))
    } finally {
      await reader.close()
    }
  },
)
