import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readMailAddresses } from './mail-addresses.ts'

const path = join(mkdtempSync(join(tmpdir(), 'mail-')), 'mail.json')

function read(acme: object, id = 'acme') {
  writeFileSync(path, JSON.stringify({ from: 'runwright@example.com', customers: { [id]: acme } }))
  return readMailAddresses(path)
}

test('a file of addresses is read', () => {
  const acme = { default: ['ops@acme.example'], roles: { finance: ['ada@acme.example'] } }
  expect(read(acme)).toMatchObject({ customers: { acme } })
})

test.each([
  ['a role that no question can name', { roles: { 'finance ': ['ada@acme.example'] } }, 'must be a role'],
  ['a line break in an address', { default: ['a@b.example\nBcc: c@d.example'] }, 'must be a mail address'],
])('%s is refused', (_, acme, words) => {
  expect(() => read(acme)).toThrow(words)
})

test.each(['acme ', 'a/b', '', 'a'.repeat(65)])('%j is refused: no customer can have that id', (id) => {
  expect(() => read({}, id)).toThrow('must be the id of a customer')
})
