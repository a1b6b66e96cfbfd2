// The pages of schedules: a person creates one by form, sees when it fires and what it has created, pauses it, changes
// it and deletes it.
import type { ScheduleResult } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { service, caller, arrive } = await openConsole()

const newSchedule = async (body: object = {}) => {
  const run = { input: { goal: 'Look.' }, metadata: { title: 'Look after the shop' } }
  const schedule = { name: 'Morning report', cron: '0 9 * * *', time_zone: 'Europe/Berlin', run, ...body }
  return (await caller.post('/v1/schedules', schedule)).json<ScheduleResult>().schedule
}

const read = async (id: string) => (await caller.get(`/v1/schedules/${id}`)).json<ScheduleResult>().schedule

/** As the scheduler creates it at a tick. */
const runOf = (id: string, tick: string, title: string) =>
  caller.post(
    '/v1/runs',
    { input: { goal: 'Look.' }, metadata: { title } },
    { 'idempotency-key': `schedule:${id}:${tick}` },
  )

const ticks = ({ page }: Visitor) => page.getByRole('list', { name: 'Next ticks' }).getByRole('listitem')

test('a schedule is created by form, and its next ticks are shown as they are typed', async () => {
  const person = await arrive({ hash: '#/schedules' })
  await person.sees('There are no schedules.')
  await person.hasNoAxeFindings()
  await person.page.getByRole('link', { name: 'Create a schedule' }).click()
  await person.seesHeading('Create a schedule')
  const { page } = person
  await page.getByLabel('Name (optional)').fill('Yearly report')
  await page.getByLabel('Time zone').fill('Asia/Tokyo')
  await page.getByLabel('Cron expression').fill('0 0 30 2 *')
  await person.sees('cron: never fires, because no date matches all of its fields, or clocks skip its times.')
  await page.getByLabel('Cron expression').fill('30 7 1 1 *')
  await expect.poll(() => ticks(person).first().innerText()).toMatch(/1 January 20\d\d at 07:30$/)
  await person.sees('In Asia/Tokyo.')
  expect(await ticks(person).count()).toBe(6)
  await person.takePicture('schedules-create')
  await person.hasNoAxeFindings()
  await person.press('Create schedule')
  await person.seesHeading('Yearly report')
  const [, id = ''] = /schedules\/(sched_\w+)/.exec(page.url()) ?? []
  expect(await read(id)).toMatchObject({
    name: 'Yearly report',
    cron: '30 7 1 1 *',
    time_zone: 'Asia/Tokyo',
    catch_up: 'skip',
    run: { input: { goal: 'Summarize the tickets of yesterday.' } },
  })
  await person.hasNoAxeFindings()
})

test('what the service refuses is said in its own words, and nothing typed is lost', async () => {
  const person = await arrive({ hash: '#/schedules/create' })
  await person.page.getByLabel('Additional fields (optional)').fill('{"plan": {"steps": []}}')
  await person.page.getByLabel('Name (optional)').fill('Kept')
  await person.press('Create schedule')
  await person.page.getByRole('alert').getByText('INPUT_PLAN_INVALID').waitFor()
  expect(await person.page.getByLabel('Name (optional)').inputValue()).toBe('Kept')
})

describe('one schedule', () => {
  test('shows its ticks in its own time zone, and only the runs that it has created', async () => {
    const { id } = await newSchedule()
    const other = await newSchedule({ name: 'Other' })
    await runOf(id, '2026-11-16T08:00:00.000Z', 'Report of Monday')
    await runOf(id, '2026-11-17T08:00:00.000Z', 'Report of Tuesday')
    await runOf(other.id, '2026-11-17T08:00:00.000Z', 'Of another one')
    const person = await arrive({ hash: `#/schedules/${id}` })
    await person.seesHeading('Morning report')
    await expect.poll(() => ticks(person).first().innerText()).toMatch(/ at 09:00$/)
    const runs = person.page.getByRole('region', { name: 'Runs of the schedule' }).getByRole('link')
    await expect.poll(() => runs.allInnerTexts()).toEqual(['Report of Tuesday', 'Report of Monday'])
    await person.takePicture('schedules-one')
    await person.hasNoAxeFindings()
    await person.page.getByRole('link', { name: 'All its runs' }).click()
    await person.seesHeading('Runs')
    await person.sees(`Schedule: ${id}`)
    await expect
      .poll(() => person.page.locator('[data-row-link]').allInnerTexts())
      .toEqual(['Report of Tuesday', 'Report of Monday'])
  })

  test('is paused and resumed in the list and on its page', async () => {
    const { id } = await newSchedule({ name: 'Nightly' })
    const person = await arrive({ hash: '#/schedules' })
    await person.press('Pause Nightly')
    await person.page.getByRole('row').filter({ hasText: 'Nightly' }).getByText('paused', { exact: true }).waitFor()
    expect((await read(id)).paused).toBe(true)
    await person.goTo(`#/schedules/${id}`)
    await person.sees('None: the schedule is paused.')
    await person.press('Resume Nightly')
    await expect.poll(() => ticks(person).count()).toBe(6)
    expect((await read(id)).paused).toBe(false)
  })

  test('a change sends only what was changed, so that masked values of its run stay', async () => {
    const { id } = await newSchedule({
      name: 'Sensitive',
      run: {
        input: { goal: 'Look.', password: 'hunter-2' },
        metadata: {},
        sensitivity_tags: [{ path: '$.input.password', classification: 'credential' }],
      },
    })
    const person = await arrive({ hash: `#/schedules/${id}?edit=yes` })
    await person.page.getByLabel('Cron expression').fill('15 10 * * *')
    const sent = person.page.waitForRequest((request) => request.method() === 'PATCH')
    await person.hasNoAxeFindings()
    await person.press('Save changes')
    expect((await sent).postDataJSON()).toEqual({ cron: '15 10 * * *' })
    await expect.poll(() => ticks(person).first().innerText()).toMatch(/ at 10:15$/)
    expect(await person.page.content()).not.toContain('hunter-2')
  })

  test('the whole run is replaced only without masked values', async () => {
    const { id } = await newSchedule({
      run: {
        input: { goal: 'Look.', password: 'hunter-2' },
        metadata: {},
        sensitivity_tags: [{ path: '$.input.password', classification: 'credential' }],
      },
    })
    const person = await arrive({ hash: `#/schedules/${id}?edit=yes` })
    await person.page.getByLabel('Replace it').check()
    await person.press('Save changes')
    await person.page.getByRole('alert').getByText('Enter the masked values (***) again').waitFor()
    await person.hasNoAxeFindings()
    await person.page.getByLabel('Input', { exact: true }).fill('{"goal": "Look.", "password": "hunter-3"}')
    await person.press('Save changes')
    await person.seesHeading('Morning report')
    expect((await read(id)).run).toMatchObject({ input: { goal: 'Look.', password: '***' } })
  })

  test('keeps its name: an empty one is refused at its field', async () => {
    const { id } = await newSchedule()
    const person = await arrive({ hash: `#/schedules/${id}?edit=yes` })
    const name = person.page.getByLabel('Name (optional)')
    await name.fill(' ')
    await person.page.getByRole('alert').getByText('The name can be changed, but not removed.').waitFor()
    await person.press('Save changes')
    await name.and(person.page.locator(':focus')).waitFor()
    await person.hasNoAxeFindings()
    await name.fill('Evening report')
    await person.press('Save changes')
    await person.seesHeading('Evening report')
    expect((await read(id)).name).toBe('Evening report')
  })

  test('is deleted after a question whose first answer keeps it', async () => {
    const { id } = await newSchedule({ name: 'Short-lived' })
    const person = await arrive({ hash: `#/schedules/${id}` })
    await person.press('Delete')
    expect(await person.page.locator(':focus').innerText()).toBe('Keep it')
    await person.hasNoAxeFindings()
    await person.press('Delete schedule')
    await person.seesHeading('Schedules')
    await person.sees('Deleted Short-lived.')
    expect((await caller.get(`/v1/schedules/${id}`)).status).toBe(404)
  })
})

test('a refused tick shows the reason', async () => {
  const { id } = await newSchedule({ name: 'Refused' })
  await service.database.run({
    text: `
update schedules
set last_error = '{"reason_code":"INPUT_PLAN_INVALID","message":"plan: step \\"pay\\" uses a tool that does not exist.","at":"2026-11-13T08:00:00.410Z"}'
where name = 'Refused'`,
  })
  const person = await arrive({ hash: `#/schedules/${id}` })
  await person.sees('plan: step "pay" uses a tool that does not exist.')
  await person.hasNoAxeFindings()
})

test('a key that may only read sees schedules and changes none', async () => {
  await newSchedule({ name: 'Look only' })
  const { key, secret } = (await caller.post('/v1/keys', { scopes: ['runs:read'] })).json<{
    key: { id: string }
    secret: string
  }>()
  const person = await arrive({ hash: '#/schedules', key: `${key.id}:${secret}` })
  await person.sees('Look only')
  await expect.poll(() => person.page.getByRole('button', { name: /^Pause/ }).count()).toBe(0)
  expect(await person.page.getByRole('link', { name: 'Create a schedule' }).count()).toBe(0)
})

test('a schedule of another customer is not found', async () => {
  const { id } = await newSchedule()
  const person = await arrive({ hash: `#/schedules/${id}`, key: service.otherKey })
  await person.sees('SCHEDULE_NOT_FOUND')
})

test('nothing is wider than a phone', async () => {
  const { id } = await newSchedule({ name: 'A report with a rather long name that needs more than one line' })
  const person = await arrive({ hash: '#/schedules', options: phone })
  await person.sees('A report with')
  await person.fitsOnScreen()
  await person.goTo(`#/schedules/${id}?edit=yes`)
  await person.sees('Save changes')
  await person.fitsOnScreen()
  await person.takePicture('schedules-phone')
  await person.hasNoAxeFindings()
})
