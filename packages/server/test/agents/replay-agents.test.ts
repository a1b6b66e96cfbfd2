// `runwright replay` of a run with an agent: it has the agent that it began with, whatever the folder has now.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { replayCommand } from '../../src/cli/admin/replay.ts'
import { SealingKeys } from '../../src/store/sealed/sealing-keys.ts'
import { AgentBench } from '../support/agents.ts'
import { say } from '../support/providers/script.ts'

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

test('a run with an agent is replayed with the agent that it began with', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'runwright-agents-'))
  const write = (body: string) => writeFile(join(folder, 'clerk.md'), `---\ndescription: Files things.\n---\n${body}\n`)
  await write('Be brief.')
  const agents = await AgentBench.start({ env: { RUNWRIGHT_AGENTS_DIR: folder } })
  const { id } = await agents.play(
    { worker: say('Filed.') },
    { input: { task: 'File it' }, metadata: { agent: 'clerk' } },
  )
  expect(agents.asked('worker')[0]?.system).toContain('Be brief.')
  await write('Be thorough.')
  await agents.bench.service.reload()

  const printed: string[] = []
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text))
  const { database } = agents.bench.service
  const sealing = new SealingKeys(database, { encryptionKey: randomBytes(32) })
  await replayCommand((work) => work({ database, sealing }), {}).parseAsync([id], { from: 'user' })
  expect(printed.join('\n')).toMatch(/^No difference: 2 calls/)
  expect(process.exitCode).toBe(0)
  await agents.stop()
  await rm(folder, { recursive: true })
})
