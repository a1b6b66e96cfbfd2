import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findFiles } from './find-files.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runwright-files-'))
  await mkdir(join(folder, 'deep/er'), { recursive: true })
  await mkdir(join(folder, 'node_modules'))
  for (const name of ['b.yaml', 'a.yaml', 'c.yml', 'deep/d.yaml', 'deep/er/e.yaml', 'node_modules/f.yaml'])
    await writeFile(join(folder, name), '')
})
afterAll(() => rm(folder, { recursive: true }))

const found = async (...patterns: string[]) =>
  (await findFiles(patterns.map((pattern) => `${folder}/${pattern}`))).map((path) => path.slice(folder.length + 1))

test('names stay as they are, and each file comes once', async () => {
  expect(await found('c.yml', 'a.yaml', 'a.yaml')).toEqual(['c.yml', 'a.yaml'])
})

test('a star matches within a folder, two stars any number of folders', async () => {
  expect(await found('*.yaml')).toEqual(['a.yaml', 'b.yaml'])
  expect(await found('?.y*ml')).toEqual(['a.yaml', 'b.yaml', 'c.yml'])
  expect(await found('**/*.yaml')).toEqual(['a.yaml', 'b.yaml', 'deep/d.yaml', 'deep/er/e.yaml'])
  expect(await found('deep/*/e.yaml', '*.yml')).toEqual(['deep/er/e.yaml', 'c.yml'])
})

test('a pattern without a match is refused', async () => {
  await expect(found('*.json')).rejects.toThrow(/^No file matches .*\*\.json\.$/)
})
