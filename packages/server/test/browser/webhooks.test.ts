// The webhooks page: an administrator creates a webhook, sees what became of its messages, and sends one again.
import type { CreatedWebhook, WebhookResult } from '@runwright/contract'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '../support/engine.ts'
import { answerWith, Receiver } from '../support/receiver.ts'
import { openConsole } from './open-console.ts'

const { caller, arrive } = await openConsole({ RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES: 'allow' }, { worker: true })
const receiver = await new Receiver().start()
afterAll(() => receiver.stop())

test('a webhook is created, its secret is shown once, and a message is sent again', async () => {
  const person = await arrive({ hash: '#/webhooks' })
  await person.seesHeading('Webhooks')
  await person.press('Create webhook')
  const dialog = person.page.getByRole('dialog', { name: 'Create a webhook' })
  await dialog.getByLabel('URL').fill(receiver.url)
  await dialog.getByLabel('run.created').check()
  await person.hasNoAxeFindings()
  await dialog.getByRole('button', { name: 'Create webhook' }).click()
  const panel = person.page.getByRole('region', { name: `Created ${receiver.url}` })
  const secret = await panel.locator('code').innerText()
  expect(secret).toMatch(/^whsec_/)
  await panel.getByRole('button', { name: 'I have stored it' }).click()
  await panel.waitFor({ state: 'detached' })
  expect(await person.page.content()).not.toContain(secret)

  const { id } = await caller.newRun()
  await receiver.received.nth(1, ({ body }) => body.includes('run.created'))
  await person.press(`Deliveries of ${receiver.url}`)
  await person.page.getByRole('button', { name: `Send again: ${id}_1`, exact: true }).click()
  await receiver.received.nth(2, ({ headers }) => headers['webhook-id'] === `${id}_1`)
  await person.hasNoAxeFindings()
  await person.page.setViewportSize({ width: 1024, height: 768 })
  for (const name of ['Webhooks', 'Deliveries']) {
    const overflow = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('section[aria-label="${name}"]'))`
    expect(await person.page.evaluate(overflow)).toBe(0)
  }
  await person.takePicture('webhooks-1024')

  await person.press('Create webhook')
  await dialog.getByLabel('URL').fill(receiver.url)
  await dialog.getByLabel('Name').fill('second')
  await dialog.getByRole('button', { name: 'Create webhook' }).click()
  await person.press('I have stored it')
  await person.press('Create webhook')
  await dialog.getByLabel('URL').fill(receiver.url)
  await dialog.getByLabel('Name').fill('second')
  await dialog.getByRole('button', { name: 'Create webhook' }).click()
  await person.sees('The webhook second exists already. Nothing was changed.')
  await person.press('Delete second')
  await person.press('Delete webhook')
  await person.sees('Deleted the webhook second.')

  await person.press(`Delete ${receiver.url}`)
  await person.press('Delete webhook')
  await person.sees('There are no webhooks. A webhook tells your program when a run ends or awaits input.')
})

test('a webhook to which nothing is sent says why: it failed five times in a row, or answered 410', async () => {
  receiver.answer = (response, request) => answerWith(request.path.endsWith('gone') ? 410 : 500)(response, request)
  const create = async (path: string) => {
    const body = { url: `${receiver.url}/${path}`, name: path, event_types: ['run.created'] }
    return (await caller.post('/v1/webhooks', body)).json<CreatedWebhook>().webhook.id
  }
  const [failing, gone] = [await create('failing'), await create('gone')]
  await Promise.all(Array.from({ length: 5 }, () => caller.newRun()))
  const read = async (id: string) => (await caller.get(`/v1/webhooks/${id}`)).json<WebhookResult>().webhook
  const until = await eventually(async () => (await read(failing)).paused_until ?? undefined)
  await eventually(async () => (await read(gone)).disabled_at ?? undefined)

  const person = await arrive({ hash: '#/webhooks' })
  const rowOf = (name: string) => person.page.getByRole('row').filter({ hasText: `${receiver.url}/${name}` })
  const time = until.slice(11, 19)
  await rowOf('failing')
    .getByText(new RegExp(`^paused until .*${time}, because it keeps failing$`))
    .waitFor()
  await rowOf('gone').getByText('disabled: it answered 410', { exact: true }).waitFor()
  await rowOf('gone').getByRole('button', { name: 'Resume gone' }).waitFor()
  expect(await rowOf('gone').getByRole('button', { name: 'Pause gone' }).count()).toBe(0)
  await rowOf('failing').getByRole('button', { name: 'Pause failing' }).waitFor()
  await person.hasNoAxeFindings()
  await person.page.setViewportSize({ width: 1024, height: 768 })
  await person.fitsOnScreen()
  await person.takePicture('webhooks-silent')
  // The endpoint is mended, and its owner does not wait for the next attempt.
  receiver.answer = answerWith(200)
  await person.press('Resume failing')
  await rowOf('failing').getByText('enabled', { exact: true }).waitFor()
  expect(await read(failing)).toMatchObject({ paused: false, paused_until: null })
})
