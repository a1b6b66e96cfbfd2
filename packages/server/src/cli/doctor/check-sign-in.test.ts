import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestProvider } from '../../../test/support/identity-provider.ts'
import { readSettings } from '../../runtime/settings/settings.ts'
import { checkSignIn } from './check-sign-in.ts'

let provider: TestProvider
beforeEach(async () => {
  provider = await TestProvider.start({
    people: {},
    groups: [{ group: 'finance', customer: 'acme', scopes: ['runs:read'] }],
  })
})
afterEach(() => provider.stop())

const check = () => checkSignIn(readSettings(provider.env))

test('an identity provider that responds is fine', async () => {
  expect(await check()).toEqual([
    { name: 'Sign-in', status: 'ok', message: `${provider.issuer} responds, and calls itself so` },
  ])
})

test('without one, there is no line', async () => {
  expect(await checkSignIn(readSettings({}))).toEqual([])
})

test('one with another name is a problem, which says the name', async () => {
  provider.callsItself = 'https://login.example.com/realms/main\u001b[2J'
  const [line] = await check()
  expect(line).toMatchObject({
    status: 'problem',
    message: expect.stringContaining(`${provider.issuer} cannot be asked: it calls itself https://login.example.com/`),
    advice: `Check "issuer" and "private_addresses" in ${provider.env.RUNWRIGHT_OIDC}.`,
  })
  expect(line?.message).not.toContain('\u001b')
})

test('one that does not answer is a problem, which says why', async () => {
  provider.isAway = true
  const [line] = await check()
  expect(line).toMatchObject({ status: 'problem', message: expect.stringContaining('cannot be asked: ') })
})
