import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readFigures, renderReliability } from './reliability-page.mjs'

const page = readFileSync(join(import.meta.dirname, '../docs/reliability.md'), 'utf8')

test('docs/reliability.md is what the figures say: node scripts/reliability-page.mjs', () => {
  expect(page).toBe(renderReliability(readFigures()))
})

test('each mutant that no test noticed is explained', () => {
  for (const { why } of readFigures().mutants?.survivors ?? []) expect(why).toMatch(/\S{3,}/)
})
