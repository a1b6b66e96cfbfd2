// One run in the console, against the whole service: its events as they happen, the answer it waits for, and the commands.
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Driver } from '../support/drive.ts'
import { Caller } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { launchBrowser, Visitor } from './visitor.ts'

let service: Service
let browser: Browser
let visitor: Visitor | undefined
let caller: Caller
let driver: Driver

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), launchBrowser()])
  caller = new Caller(service.url, service.key)
  driver = new Driver(service.database)
})
afterEach(async () => {
  await visitor?.leave()
  visitor = undefined
})
afterAll(async () => {
  await browser.close()
  await service.stop()
})

const arriveAt = async (id: string): Promise<Visitor> => {
  visitor = await Visitor.arrive(browser, service.url)
  await visitor.signIn(service.key)
  await visitor.seesHeading('Runs')
  await visitor.goTo(`#/runs/${id}`)
  await visitor.sees('run.created')
  return visitor
}

describe('events', () => {
  test('appear while one looks, and streamed text grows together', async () => {
    const { id } = await caller.newRun()
    await driver.toRunning(id)
    const person = await arriveAt(id)
    await person.sees('live')
    for (const content_delta of ['One two ', 'three.']) {
      const payload = { kind: 'content_delta', content_delta, task_id: 'task_1' }
      await driver.progress(id, { events: [{ type: 'step.progress', payload }] })
    }
    await person.sees('One two three.')
    await driver.toSucceeded(id)
    await person.sees('run.worker.succeeded')
    await person.sees('the run has ended')
    await person.sees('Done.')
  })

  test('are text, whatever they hold', async () => {
    const { id } = await caller.newRun()
    const content = '<img src="/console/x" onerror="document.title=1"><script>alert(1)</script>'
    const payload = { content, outcome: 'succeeded', task_id: 'task_1' }
    await driver.progress(id, { events: [{ type: 'step.done', payload }] })
    await driver.toSucceeded(id, { redacted: false, value: { content, output: { content } } })
    const person = await arriveAt(id)
    await person.page.getByRole('button', { name: /step\.done/ }).click()
    const shown = person.page.getByText('<img src=', { exact: false })
    await expect.poll(() => shown.count()).toBeGreaterThanOrEqual(4)
    expect(await person.page.locator('main img, main script').count()).toBe(0)
  })

  test('a failure is told with its reason', async () => {
    const { id } = await caller.newRun()
    await driver.toFailed(id, 'provider_auth')
    const person = await arriveAt(id)
    expect(await person.page.getByRole('region', { name: 'Failure' }).innerText()).toContain('provider_auth')
  })
})

describe('commands', () => {
  const enabled = async ({ page }: Visitor) => {
    const buttons = page.getByRole('group', { name: 'Commands' }).getByRole('button', { disabled: false })
    return buttons.allInnerTexts()
  }

  test('a queued run is cancelled, once that was confirmed', async () => {
    const { id } = await caller.newRun()
    const person = await arriveAt(id)
    expect(await enabled(person)).toEqual(['Cancel run'])
    await person.press('Cancel run')
    await person.press('Keep it')
    await person.press('Cancel run')
    await person.press('Yes, cancel it')
    await person.sees('run.cancelled')
    await expect.poll(() => enabled(person)).toEqual([])
    expect((await caller.run(id)).status).toBe('cancelled')
  })

  test('a failed run is retried, and its events go on', async () => {
    const { id } = await caller.newRun()
    await driver.toFailed(id)
    const person = await arriveAt(id)
    await person.sees('the run has ended')
    expect(await enabled(person)).toEqual(['Retry'])
    await person.press('Retry')
    await person.sees('run.worker.retry_scheduled')
    await driver.toSucceeded(id)
    await person.sees('run.worker.succeeded')
  })

  test('a stalled run is resumed', async () => {
    const { id } = await caller.newRun()
    await driver.toStalled(id)
    const person = await arriveAt(id)
    expect(await enabled(person)).toEqual(['Resume', 'Cancel run'])
    await person.press('Resume')
    await person.sees('run.resumed')
  })

  test('a command that comes too late is told as a conflict', async () => {
    const { id } = await caller.newRun()
    const person = await arriveAt(id)
    await person.page.route('**/cancel', async (route) => {
      await driver.toSucceeded(id)
      await route.continue()
    })
    await person.press('Cancel run')
    await person.press('Yes, cancel it')
    await person.sees('Not possible in the current state')
    await person.sees(/RUN_STATE_CONFLICT · request req_/)
  })
})
