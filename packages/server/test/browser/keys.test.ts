// The keys page: an administrator creates, rotates and revokes keys.
import type { KeyDetail, KeyWithSecret, Schedule } from '@runwright/contract'
import type { BrowserContextOptions } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { Caller } from '../support/http.ts'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { service, caller, arrive: arriveAt, arriveSignedOut } = await openConsole()

const arrive = async (key = service.key, options: BrowserContextOptions = {}): Promise<Visitor> => {
  const visitor = await arriveAt({ hash: '#/keys', key, options })
  await visitor.seesHeading('Keys')
  return visitor
}

const newKey = async (body: object): Promise<{ id: string; key: string }> => {
  const { key, secret } = (await caller.post('/v1/keys', body)).json<KeyWithSecret>()
  return { id: key.id, key: `${key.id}:${secret}` }
}

const statusWith = async (key: string) => (await new Caller(service.url, key).get('/v1/runs')).status

/** The secret that the page shows, and that it never shows again. */
const shownKey = async ({ page }: Visitor, title: string) => {
  const panel = page.getByRole('region', { name: title })
  const apiKey = await panel.locator('code').innerText()
  await panel.getByRole('button', { name: 'I have stored it' }).click()
  await panel.waitFor({ state: 'detached' })
  expect(await page.content()).not.toContain(apiKey.split(':')[1])
  return apiKey
}

const tooWideBy = (region: { scrollWidth: number; clientWidth: number }) => region.scrollWidth - region.clientWidth

const rowOf = ({ page }: Visitor, text: string) => page.getByRole('row').filter({ hasText: text })

test('a key is created with the chosen scopes, and its secret is shown once', async () => {
  const person = await arrive()
  await person.press('Create key')
  const dialog = person.page.getByRole('dialog', { name: 'Create an API key' })
  await dialog.getByLabel('Name').fill('approver')
  await dialog.getByLabel('runs:write').uncheck()
  await dialog.getByLabel('runs:signal').check()
  await person.hasNoAxeFindings()
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await person.page.locator(':focus').filter({ hasText: 'Created approver' }).waitFor()
  await person.hasNoAxeFindings()
  await person.takePicture('rest-keys-created')
  const apiKey = await shownKey(person, 'Created approver')
  // Before it is used: the list may come late.
  expect(await rowOf(person, 'approver').innerText()).toMatch(/runs:read\s*runs:signal\s+active\s+never/)
  expect(await statusWith(apiKey)).toBe(200)
  expect((await new Caller(service.url, apiKey).post('/v1/runs', {})).json<{ reason_code: string }>().reason_code).toBe(
    'SCOPE_DENIED',
  )
})

test('on 1,024 pixels, all actions are in view', async () => {
  const person = await arrive()
  await person.page.setViewportSize({ width: 1024, height: 768 })
  await rowOf(person, 'bootstrap')
    .getByRole('button', { name: /^Revoke/ })
    .waitFor()
  const table = person.page.getByRole('region').filter({ hasText: 'bootstrap' }).first()
  expect(await table.evaluate(tooWideBy)).toBe(0)
})

test('only scopes of the own key can be chosen', async () => {
  const { key } = await newKey({ scopes: ['keys:admin', 'runs:read'] })
  const person = await arrive(key)
  await person.press('Create key')
  const dialog = person.page.getByRole('dialog')
  expect(await dialog.getByRole('checkbox', { disabled: false }).count()).toBe(2)
  await dialog.getByText('The key you are signed in with does not have this scope.').first().waitFor()
})

test('a rotated key works with both secrets during the overlap', async () => {
  const { key } = await newKey({ name: 'rotated', scopes: ['runs:read'] })
  const person = await arrive()
  await person.press('Rotate rotated')
  await person.press('Rotate key')
  await person.sees('The old secret stays valid for 1 hour.')
  const fresh = await shownKey(person, 'New secret of rotated')
  expect(fresh).not.toBe(key)
  expect([await statusWith(fresh), await statusWith(key)]).toEqual([200, 200])
})

test('without an overlap the old secret ends at once', async () => {
  const { key } = await newKey({ name: 'cut', scopes: ['runs:read'] })
  const person = await arrive()
  await person.press('Rotate cut')
  await person.page.getByLabel('The old secret stays valid for').selectOption('Ends at once')
  await person.press('Rotate key')
  const fresh = await shownKey(person, 'New secret of cut')
  expect([await statusWith(fresh), await statusWith(key)]).toEqual([200, 401])
})

test.each(['tab', 'browser'])(
  'the own key is marked, and the page goes on with its new secret, in a %s',
  async (kept) => {
    const { id, key } = await newKey({ name: `own-${kept}`, scopes: ['runs:read', 'keys:admin'] })
    const person = await arriveSignedOut()
    if (kept === 'browser') await person.page.getByLabel('Keep me signed in on this browser').check()
    await person.signIn(key)
    await person.seesHeading('Runs')
    await person.goTo('#/keys')
    expect(await rowOf(person, 'this key').innerText()).toContain(id)
    await person.press(`Rotate own-${kept}`)
    expect(await person.page.getByRole('option').allInnerTexts()).not.toContain('Ends at once')
    await person.press('Rotate key')
    await shownKey(person, `New secret of own-${kept}`)
    // Ends the old secret, so that only the new one can have opened the page.
    await caller.send({ method: 'POST', path: `/v1/keys/${id}/rotate`, body: { overlap_seconds: 300 } })
    await person.page.reload()
    await person.seesHeading('Keys')
    await rowOf(person, 'this key').waitFor()
  },
)

test('a key is revoked once that was confirmed', async () => {
  const { key } = await newKey({ name: 'leaked', scopes: ['runs:read'] })
  const person = await arrive()
  await person.press('Revoke leaked')
  await person.sees('The key was never used.')
  await person.sees('Nothing that the key has set up goes on.')
  await person.hasNoAxeFindings()
  await person.press('Keep it')
  expect(await statusWith(key)).toBe(200)
  await person.press('Revoke leaked')
  await person.press('Revoke key')
  await person.sees('Revoked leaked.')
  expect(await statusWith(key)).toBe(401)
  await person.page.getByText(/^\d+ revoked or expired keys?$/).click()
  expect(await rowOf(person, 'leaked').innerText()).toContain('revoked')
  expect(await person.page.getByRole('button', { name: 'Revoke leaked' }).count()).toBe(0)
})

describe('what a revoked key has set up', () => {
  const holderOf = async (name: string, scopes: string[]) => {
    const { id, key } = await newKey({ name, scopes })
    const holder = new Caller(service.url, key)
    const run = { input: {}, metadata: {} }
    const schedule = async (title: string) =>
      (
        await holder.post('/v1/schedules', { name: title, cron: '0 9 * * MON-FRI', time_zone: 'Europe/Berlin', run })
      ).json<{ schedule: Schedule }>().schedule
    return { id, key, holder, schedule }
  }

  const leavesOf = async (id: string) => (await caller.get(`/v1/keys/${id}`)).json<KeyDetail>().leaves

  test('is listed before it is revoked, and only what is chosen is stopped', async () => {
    const { id, holder, schedule } = await holderOf('thief', ['runs:write', 'keys:admin', 'webhooks:admin'])
    const [mail, miner] = [await schedule('Daily mail'), await schedule('Miner')]
    await holder.post('/v1/webhooks', { url: 'https://thief.example/hook' })
    const { key: spare } = (
      await holder.post('/v1/keys', { name: 'spare', scopes: ['runs:write'] })
    ).json<KeyWithSecret>()
    const person = await arrive()
    await person.press('Revoke thief')
    const dialog = person.page.getByRole('dialog')
    await dialog.getByText('Schedules that go on creating runs').waitFor()
    expect(await dialog.getByRole('checkbox', { checked: true }).count()).toBe(0)
    await dialog.getByLabel('Pause Miner').check()
    await dialog.getByLabel('Delete thief.example').check()
    await dialog.getByLabel('Revoke spare').check()
    await person.hasNoAxeFindings()
    await person.takePicture('rest-keys-revoke')
    await person.press('Revoke key and stop 3')
    await person.sees('Revoked thief. Stopped Miner. Stopped thief.example. Stopped spare.')
    const left = await leavesOf(id)
    expect(left.schedules.map((one) => one.id)).toEqual([mail.id])
    expect([left.webhooks, left.keys]).toEqual([[], []])
    expect((await caller.get(`/v1/schedules/${miner.id}`)).json()).toMatchObject({ schedule: { paused: true } })
    expect((await leavesOf(spare.id)).schedules).toEqual([])
  })

  test('is stopped before the own key ends', async () => {
    const { id, key, schedule } = await holderOf('own-thing', ['runs:read', 'runs:write', 'keys:admin'])
    await schedule('Own schedule')
    const person = await arrive(key)
    await person.press('Revoke own-thing')
    await person.page.getByLabel('Pause Own schedule').check()
    await person.press('Revoke key and stop 1')
    await person.sees('You revoked the key own-thing, which you were signed in with. Stopped Own schedule.')
    expect((await leavesOf(id)).schedules).toEqual([])
  })

  test('can be stopped only with its scope, and fits on a phone', async () => {
    const { schedule } = await holderOf('writer', ['runs:write'])
    await schedule('A'.repeat(200))
    const { key } = await newKey({ name: 'key-keeper', scopes: ['keys:admin'] })
    const person = await arrive(key, phone)
    await person.press('Revoke writer')
    await person.sees('does not have the scope runs:write, so you cannot stop them here.')
    expect(await person.page.getByRole('dialog').getByRole('checkbox', { disabled: false }).count()).toBe(0)
    await person.hasNoAxeFindings()
    await person.fitsOnScreen()
    await person.takePicture('rest-keys-revoke-phone')
    await person.press('Revoke key')
    await person.sees('Revoked writer.')
  })

  test('may be unknown: the key can be revoked all the same, and the page says what failed', async () => {
    const { id } = await newKey({ name: 'unseen', scopes: ['runs:read'] })
    const person = await arrive()
    await person.page.route(`**/v1/keys/${id}`, (route) =>
      route.request().method() === 'GET' ? route.fulfill({ status: 403, json: refused }) : route.continue(),
    )
    await person.press('Revoke unseen')
    await person.sees('No list today.')
    await person.press('Revoke key')
    await person.sees('Revoked unseen.')
  })

  const refused = { error: 'forbidden', reason_code: 'SCOPE_DENIED', message: 'No list today.', request_id: 'req_1' }
})

test('revoking the own key signs out, and says so', async () => {
  const { key } = await newKey({ name: 'mine', scopes: ['runs:read', 'keys:admin'] })
  const person = await arrive(key)
  await person.press('Revoke mine')
  await person.sees('You are signed in with this key: you will be signed out.')
  await person.press('Revoke key')
  await person.seesHeading('Runwright console')
  await person.sees('You revoked the key mine')
})

test('a key without keys:admin sees why there is no list', async () => {
  const { key } = await newKey({ name: 'reader', scopes: ['runs:read'] })
  const person = await arriveAt({ key })
  await person.seesHeading('Runs')
  await person.goTo('#/keys')
  await person.sees('The key reader does not have the scope keys:admin.')
  expect(person.requests.filter((url) => url.endsWith('/v1/keys'))).toEqual([])
  await person.hasNoAxeFindings()
})

test.each(['light', 'dark'] as const)('the page is clean for axe and fits on a phone, in %s', async (colorScheme) => {
  const person = await arrive(service.key, { ...phone, colorScheme })
  await person.sees('this key')
  await person.hasNoAxeFindings()
  await person.fitsOnScreen()
})
