import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.tsx'))
  .map((path) => readFileSync(join(import.meta.dirname, path), 'utf8'))
const tokens = readFileSync(join(import.meta.dirname, 'style.css'), 'utf8')

const classesOf = (pattern: RegExp): string[] => [
  ...new Set(sources.flatMap((source) => [...source.matchAll(pattern)].map(([word]) => word))),
]
const colours = [...tokens.matchAll(/--color-([\w-]+):/g)].map(([, name]) => name)
const alignments = ['left', 'right', 'center', 'wrap']

test('sizes of text are those of the style sheet', () => {
  const sizes = [...tokens.matchAll(/--text-(\w+):/g)].map(([, name]) => name)
  const used = classesOf(/(?<=[\s"'`:])text-[a-z][\w-]*/g).map((word) => word.slice('text-'.length))
  expect(used.length).toBeGreaterThan(10)
  expect(used.filter((name) => ![...sizes, ...colours, ...alignments].includes(name))).toEqual([])
})

test('no component has a distance, a radius, a shadow, a colour or a size of text of its own', () => {
  const own =
    /(?<=[\s"'`:])(?:text|leading|tracking|font|rounded|shadow|bg|border|[pm][xytrbl]?|gap(?:-[xy])?)-\[[^\]]+\]/g
  expect(classesOf(own)).toEqual([])
})
