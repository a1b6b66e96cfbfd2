import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import { defaultPolicy } from './policy.ts'
import { readPolicy } from './read-policy.ts'

const folder = mkdtempSync(join(tmpdir(), 'policy-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'policy.json')
const read = (text: string) => {
  writeFileSync(file, text)
  return readPolicy(file)
}

describe('the policy file', () => {
  test('without a file there are no rules', () => {
    expect(readPolicy(undefined)).toEqual(defaultPolicy)
  })

  test('is read unchanged, and either part may be omitted', () => {
    const book = {
      tools: { '*': 'ask', 'github.*': 'deny', calculator: 'allow' },
      customers: { acme: { wait: 'deny' } },
    }
    expect(read(JSON.stringify(book))).toEqual(book)
    expect(read('{}')).toEqual(defaultPolicy)
  })

  test('that is given as an example is a good one', () => {
    const example = fileURLToPath(new URL('../../../../../examples/policy/policy.json', import.meta.url))
    expect(readPolicy(example).customers).toEqual({ trusted: { http_fetch: 'allow' } })
  })

  test.each([
    ['{', 'is not valid JSON'],
    ['{"tool":{}}', 'tool is not a known field'],
    ['{"tools":{"http_fetch":"never"}}', 'tools.http_fetch must be'],
    ['{"tools":{"a b":"deny"}}', '"a b" must be a tool name'],
    ['{"customers":{"acme":"deny"}}', 'customers.acme must be'],
    ['{"customers":{"acme":{"github.":"deny"}}}', '"github." must be a tool name'],
    ['{"tools":{"pay":{"rule":"ask","approval_schema":{"$ref":"#/nowhere"}}}}', 'pay.approval_schema'],
  ])('%s stops the start with one sentence that names the file', (text, problem) => {
    expect(() => read(text)).toThrow(SettingsError)
    expect(() => read(text)).toThrow(problem)
    expect(() => read(text)).toThrow(file)
  })

  test('one that is not there stops the start', () => {
    expect(() => readPolicy(join(folder, 'none.json'))).toThrow('none.json cannot be read: ENOENT.')
  })
})
