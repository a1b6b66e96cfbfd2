import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readSettings } from '../../runtime/settings/settings.ts'
import { readOidc } from './oidc-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'runwright-oidc-file-'))
const path = join(folder, 'oidc.json')
afterAll(() => rmSync(folder, { recursive: true }))

const file = {
  issuer: 'https://login.example.com',
  client_id: 'runwright',
  groups: [{ group: 'finance', customer: 'acme', scopes: ['runs:read'] }],
}
const env = { RUNWRIGHT_OIDC: path, RUNWRIGHT_PUBLIC_URL: 'https://agents.example.com/' }

const read = (change: object = {}, more: Record<string, string> = {}) => {
  writeFileSync(path, JSON.stringify({ ...file, ...change }))
  return readOidc(readSettings({ ...env, ...more }))
}

test('without the setting there is no identity provider', () => {
  expect(readOidc(readSettings({}))).toBeUndefined()
})

test('the defaults are a stable id for people, verified addresses of their own, and no private addresses', () => {
  expect(read({}, { RUNWRIGHT_OIDC_CLIENT_SECRET: 's3' })).toMatchObject({
    person_claim: 'sub',
    groups_claim: 'groups',
    private_addresses: 'deny',
    publicUrl: 'https://agents.example.com',
    clientSecret: 's3',
    groups: [{ roles: [] }],
  })
})

const group = (change: object) => ({ groups: [{ ...file.groups[0], ...change }] })

test.each([
  [{ issuer: 'http://login.example.com' }, 'issuer must use https'],
  [{ issuer: 'https://login.example.com?tenant=1' }, 'issuer must be an https URL without a query'],
  [{ groups: [] }, 'groups'],
  [{ client_secret: 'in the file' }, 'client_secret'],
  [group({ scopes: ['tokens:create'] }), 'groups[0].scopes[0]'],
  [group({ scopes: ['links:create'] }), 'groups[0].scopes[0]'],
  [group({ roles: ['a role'] }), 'groups[0].roles[0]'],
  [group({ customer: '../acme' }), 'groups[0].customer'],
])('%j is refused, and the message says where', (change, text) => {
  expect(() => read(change)).toThrow(expect.objectContaining({ message: expect.stringContaining(text) }))
})

test('the address of the service and the file need each other and the secret', () => {
  expect(() => read({}, { RUNWRIGHT_PUBLIC_URL: '' })).toThrow('RUNWRIGHT_OIDC needs RUNWRIGHT_PUBLIC_URL')
  expect(() => readSettings({ RUNWRIGHT_OIDC_CLIENT_SECRET: 'x' })).toThrow(
    'RUNWRIGHT_OIDC_CLIENT_SECRET needs RUNWRIGHT_OIDC',
  )
})
