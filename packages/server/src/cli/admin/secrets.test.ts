import { randomBytes } from 'node:crypto'
import { beforeEach, expect, test, vi } from 'vitest'
import { keyPepper } from '../../../test/support/access.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { newUuid } from '../../runtime/ids.ts'
import { RunCreator } from '../../store/run-log/run-creator.ts'
import { SealingKeys } from '../../store/sealed/sealing-keys.ts'
import { secretsCommand } from './secrets.ts'

const [old, next] = [randomBytes(32), randomBytes(32)]
let fresh: FreshDatabase
let out: string[]

beforeEach(async () => {
  fresh = await freshDatabase()
  out = []
  vi.spyOn(console, 'log').mockImplementation((text) => void out.push(text))
  return async () => {
    vi.restoreAllMocks()
    await fresh.drop()
  }
})

async function host(encryptionKey: Buffer, ...previousEncryptionKeys: Buffer[]): Promise<SealingKeys> {
  const sealing = new SealingKeys(fresh.database, { encryptionKey, previousEncryptionKeys })
  await sealing.open()
  return sealing
}

async function createSealed({ keyring }: SealingKeys): Promise<void> {
  const id = newUuid()
  const sealed = keyring.seal({ taken: [], hidden: [] }, { runId: id, customerId: 'acme' })
  await new RunCreator(fresh.database, () => undefined).create(newRun({ id, sensitivityTags: [], sealed }))
}

async function secrets(sealing: SealingKeys, ...argv: string[]): Promise<string> {
  out.length = 0
  const { database } = fresh
  await secretsCommand((work) => work({ database, keyPepper, sealing })).parseAsync(argv, { from: 'user' })
  return out.join('\n')
}

test('status shows how many values each key seals, and that previous keys are needed while older ones are used', async () => {
  const before = await host(old)
  await createSealed(before)
  const sealing = await host(next, old)
  const [first, newest] = [before.keyring.newest, sealing.keyring.newest]
  expect(await secrets(sealing, 'status')).toMatch(
    new RegExp(`^DATA KEY +VALUES +NEWEST\\n${first} +1 +-\\n${newest} +0 +yes\\n\\nNot complete\\.`),
  )
  expect(JSON.parse(await secrets(sealing, 'status', '--json'))).toEqual({
    data_keys: [
      { data_key: first, values: 1, newest: false },
      { data_key: newest, values: 0, newest: true },
    ],
    previous_keys_needed: true,
  })
})

test('reseal completes the change, and says so', async () => {
  await createSealed(await host(old))
  const sealing = await host(next, old)
  expect(await secrets(sealing, 'reseal')).toContain('Remove RUNWRIGHT_ENCRYPTION_KEY_PREVIOUS')
  expect(JSON.parse(await secrets(sealing, 'status', '--json'))).toMatchObject({ previous_keys_needed: false })
})
