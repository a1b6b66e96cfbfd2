import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { testSchemas } from '../../../test/support/schemas.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import { loadPolicy } from './load-policy.ts'
import { defaultPolicy } from './policy.ts'

const folder = mkdtempSync(join(tmpdir(), 'policy-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'policy.json')
const load = (policy: object) => {
  writeFileSync(file, JSON.stringify(policy))
  return loadPolicy(file, testSchemas.requests)
}
const withSchema = (schema: object) => ({ rule: 'ask', approval_schema: schema })

test('a policy with schemas that compile is read unchanged; without a file there are no rules', async () => {
  const policy = {
    tools: { pay: withSchema({ type: 'object', required: ['reason'] }), wait: 'deny' },
    customers: { acme: { pay: withSchema({ type: 'string' }) } },
  }
  expect(await load(policy)).toEqual(policy)
  expect(await loadPolicy(undefined, testSchemas.requests)).toEqual(defaultPolicy)
})

test.each([
  ['for all customers', { tools: { pay: withSchema({ type: 'nonsense' }) } }],
  ['for one customer', { customers: { acme: { pay: withSchema({ type: 'nonsense' }) } } }],
])('a schema %s that does not compile stops the start, and is named', async (_, policy) => {
  const loading = load(policy)
  await expect(loading).rejects.toThrow(SettingsError)
  await expect(loading).rejects.toThrow(
    `RUNWRIGHT_TOOL_POLICY: in ${file}, pay.approval_schema cannot be used: schema is invalid`,
  )
})
