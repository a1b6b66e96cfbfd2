// Every guide, run as a reader would: its files are written, its commands run, and they print what it says.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startMockProvider } from '../support/providers/mock-provider.ts'
import { readGuide } from './guide-blocks.ts'
import { modelOf } from './guide-models.ts'
import { Reader } from './reader.ts'
import { newReaderHome } from './reader-home.ts'

const folder = join(import.meta.dirname, '../../../../docs/guides')
const guides = readdirSync(folder).filter((name) => name.endsWith('.md'))
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

test.each(guides)('%s works as written', { timeout: 120_000 }, async (name) => {
  const blocks = readGuide(read(name))
  const provider = await startMockProvider('openai-responses', modelOf(name), { apiKey: 'sk-guide' })
  const env = { OPENAI_BASE_URL: provider.baseUrl, OPENAI_API_KEY: 'sk-guide' }
  const home = await newReaderHome({ env, migrated: name !== 'deploy.md' })
  const reader = new Reader(home)
  try {
    await reader.follow(blocks)
    expect(provider.refusals).toEqual([])
  } finally {
    await reader.close()
    await provider.close()
    await home.remove()
  }
})

test('Runwright can be installed in a folder as the guides say', { timeout: 60_000 }, () => {
  const root = mkdtempSync(join(tmpdir(), 'runwright-install-'))
  symlinkSync(join(import.meta.dirname, '../../../..'), join(root, 'runwright'))
  const [install] = readGuide(read('first-agent.md'))
  const env = { PATH: process.env.PATH, HOME: root, npm_config_offline: 'true', npm_config_update_notifier: 'false' }
  const script = `set -e\n${install?.text}\nnpx runwright --version`
  try {
    expect(execFileSync('bash', ['-c', script], { cwd: root, env, encoding: 'utf8' })).toMatch(/\n\d+\.\d+\.\d+\n$/)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})

test('every guide installs Runwright in the same way', () => {
  const [{ text: expected = '' } = {}] = readGuide(read('first-agent.md'))
  for (const guide of guides) expect(readGuide(read(guide))[0]?.text, guide).toContain(expected.trimEnd())
})
