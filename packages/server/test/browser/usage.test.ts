// The usage page: charts and figures by period, type and label, budgets, and the CSV file.
import type { KeyWithSecret } from '@runwright/contract'
import type { BrowserContextOptions } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { recordUsages } from '../support/usage.ts'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { service, caller, arrive: arriveAt } = await openConsole()

const hourMs = 3_600_000
/** The middle of an hour, so that the records of a test do not cross one. */
const now = Math.floor(Date.now() / hourMs) * hourMs + hourMs / 2
const hoursAgo = (hours: number) => new Date(now - hours * hourMs).toISOString()

const tokens = { eventType: 'tokens.consumed' }
await recordUsages(service.database, 'acme', [
  { ...tokens, at: hoursAgo(0), quantity: 900, workspaceId: 'finance', subjectId: 'ada' },
  { ...tokens, at: hoursAgo(1), quantity: 400, workspaceId: 'finance', subjectId: 'ben' },
  { ...tokens, at: hoursAgo(2), quantity: 300, workspaceId: 'sales', subjectId: 'ada' },
  { ...tokens, at: hoursAgo(24), quantity: 50 },
  { eventType: 'run.created', at: hoursAgo(0), workspaceId: 'finance' },
  { eventType: 'run.created', at: hoursAgo(24 * 40), workspaceId: 'finance' },
])

const arrive = async (hash = '#/usage', options: BrowserContextOptions = {}, key = service.key): Promise<Visitor> => {
  const visitor = await arriveAt({ hash, options, key })
  await visitor.seesHeading('Usage')
  return visitor
}

const totals = async ({ page }: Visitor) => {
  const row = page.getByRole('row', { name: /^Total/ })
  await row.waitFor()
  return (await row.innerText()).split(/\s+/).slice(1)
}

/** How many different colours the chart has: it is drawn, not only there. */
const coloursOfChart = `(() => {
  const canvas = document.querySelector('canvas')
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  const counts = new Map()
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] < 255) continue
    const colour = data[i] + ',' + data[i + 1] + ',' + data[i + 2]
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  return [...counts].filter(([, count]) => count > 60).map(([colour]) => colour)
})()`

test('the last 31 days are shown by type, as tiles, chart and table', async () => {
  const person = await arrive()
  expect(await totals(person)).toEqual(['1,650', '1', '0', '0'])
  const tiles = person.page.getByRole('navigation', { name: 'Event type' })
  expect((await tiles.innerText()).split('\n')).toEqual([
    'Tokens',
    '1,650',
    'Runs',
    '1',
    'Steps',
    '0',
    'Tool calls',
    '0',
  ])
  await person.page.getByRole('img', { name: 'Tokens by day' }).waitFor()
  expect(await person.page.evaluate(coloursOfChart)).toContain('11,107,102')
})

test('a tile chooses what the chart shows, and the back button undoes it', async () => {
  const person = await arrive()
  await person.page.getByRole('link', { name: /Runs\s*1/ }).click()
  await person.page.getByRole('img', { name: 'Runs by day' }).waitFor()
  await person.page.goBack()
  await person.page.getByRole('img', { name: 'Tokens by day' }).waitFor()
})

describe('periods', () => {
  test('hours are named in UTC, also in another time zone', async () => {
    const person = await arrive('#/usage?granularity=hour', { timezoneId: 'Asia/Tokyo' })
    await totals(person)
    const hour = new Date(now).toISOString().slice(11, 13)
    const first = person.page.locator('tbody tr').first()
    expect(await first.innerText()).toMatch(new RegExp(`${hour}:00\\s+900`))
    await person.sees('Hours, days and months are in UTC.')
  })

  test('months show what days do not reach', async () => {
    const person = await arrive()
    await person.page.getByRole('link', { name: 'Months' }).click()
    await person.page.getByRole('img', { name: 'Tokens by month' }).waitFor()
    await expect.poll(() => totals(person)).toEqual(['1,650', '2', '0', '0'])
  })

  test('earlier periods are a step back, and later ones a step forth', async () => {
    const person = await arrive()
    await person.page.getByRole('link', { name: 'Earlier' }).click()
    await expect.poll(() => totals(person)).toEqual(['0', '1', '0', '0'])
    await person.page.getByRole('link', { name: 'Later' }).click()
    await expect.poll(() => totals(person)).toEqual(['1,650', '1', '0', '0'])
    expect(await person.page.getByRole('link', { name: 'Later' }).count()).toBe(0)
  })
})

describe('labels', () => {
  test('the chart is split by workspace, with a colour for each', async () => {
    const person = await arrive('#/usage?split=workspace_id')
    expect(await totals(person)).toEqual(['1,300', '300', '50'])
    const table = person.page.getByRole('region', { name: 'Tokens by day and workspace' })
    expect(await table.locator('thead').innerText()).toMatch(/UTC\s+finance\s+sales\s+no workspace/)
    expect(await person.page.evaluate(coloursOfChart)).toEqual(expect.arrayContaining(['11,107,102', '194,87,26']))
  })

  test('by subject, of one workspace only', async () => {
    const person = await arrive()
    await person.page.getByLabel('Workspace').fill('finance')
    await person.press('Filter')
    await expect.poll(() => totals(person)).toEqual(['1,300', '1', '0', '0'])
    await person.page.getByRole('link', { name: 'By subject' }).click()
    await expect.poll(() => totals(person)).toEqual(['900', '400'])
  })
})

test('the CSV file has what the page shows', async () => {
  const person = await arrive('#/usage?split=workspace_id&granularity=month')
  await totals(person)
  const download = person.page.waitForEvent('download')
  await person.press('Download CSV')
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^usage-by-month-until-\d{4}-\d\d\.csv$/)
  const chunks: Buffer[] = []
  for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer)
  const lines = Buffer.concat(chunks).toString().split('\r\n')
  expect(lines[0]).toBe('event_type,count,total_quantity,period,workspace_id,subject_id')
  expect(lines.filter((line) => /^tokens.consumed,.*,sales,/.test(line))).toHaveLength(1)
})

test('budgets are bars against their limit', async () => {
  const put = (path: string, body: object) => caller.send({ method: 'PUT', path: `/v1/budgets/${path}`, body })
  await put('customer', { period: 'month', tokens: 1_000_000 })
  await put('workspaces/finance', { period: 'day', tokens: 10 })
  const person = await arrive()
  const meter = person.page.getByRole('meter', { name: 'Workspace finance' })
  expect(await meter.getAttribute('aria-valuetext')).toMatch(/^[\d,]+ of 10$/)
  await person.sees('Used up: runs fail until the reset.')
  await person.page.getByRole('meter', { name: 'All usage' }).waitFor()
  await person.takePicture('rest-usage')
})

test('a customer without usage is told so, and sees new usage after a refresh', async () => {
  const person = await arrive('#/usage', {}, service.otherKey)
  await person.sees('Nothing was metered in this time.')
  await person.sees('No budget is set.')
  await recordUsages(service.database, 'other', [{ eventType: 'tokens.consumed', at: hoursAgo(0), quantity: 1893 }])
  await person.press('Refresh')
  await expect.poll(() => totals(person)).toEqual(['1,893', '0', '0', '0'])
})

test('a key without usage:read sees why', async () => {
  const { key, secret } = (await caller.post('/v1/keys', { scopes: ['runs:read'] })).json<KeyWithSecret>()
  const person = await arriveAt({ key: `${key.id}:${secret}` })
  await person.seesHeading('Runs')
  await person.goTo('#/usage')
  await person.sees('does not have the scope usage:read')
  expect(person.requests.filter((url) => url.includes('/v1/usage'))).toEqual([])
})

test('the chart follows a change of the theme', async () => {
  const person = await arrive('#/usage', { colorScheme: 'light' })
  await totals(person)
  await person.press('Dark theme')
  await expect.poll(() => person.page.evaluate(coloursOfChart)).toContain('95,201,192')
})

test.each(['light', 'dark'] as const)('the page is clean for axe and fits on a phone, in %s', async (colorScheme) => {
  const person = await arrive('#/usage?split=workspace_id', { ...phone, colorScheme })
  await totals(person)
  await person.takePicture(`rest-usage-phone-${colorScheme}`)
  await person.hasNoAxeFindings()
  await person.fitsOnScreen()
})
