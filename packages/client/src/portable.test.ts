import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folder = new URL('./', import.meta.url)
const sources = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))

test.each(sources)('%s runs in every runtime: it imports only its own files and types of the contract', (name) => {
  const source = readFileSync(new URL(name, folder), 'utf8')
  const imports = [...source.matchAll(/^(?:import|export) (type )?[^'"]*?from '([^']+)'/gm)]
  const loaded = imports.filter(([, isType]) => !isType).map(([, , from = '']) => from)
  expect(loaded.filter((from) => !from.startsWith('./'))).toEqual([])
  expect(source).not.toMatch(/\b(process|Buffer|require)\b[.(]/)
})
