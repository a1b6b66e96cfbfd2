// An approval of a call needs all of its arguments to have been on the screen: the beginning, the middle and the end,
// for half a second each.
import { describe, expect, test } from 'vitest'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { caller, driver, arrive } = await openConsole()

const call = (own: object = {}) => ({
  ...{ tool: 'pay', arguments: { invoice: 17 }, argumentsHash: 'ab', why: 'Policy requires approval for this tool.' },
  ...{ hasRead: [], callId: 'call_1', idempotencyKey: 'call_1' },
  ...own,
})

const waitingRun = async (wait: Parameters<typeof driver.toAwaiting>[1] = {}, request: object = {}) => {
  const { id } = await caller.newRun(request)
  await driver.toAwaiting(id, wait)
  return { id }
}

const arriveAt = async (
  id: string,
  prepare?: (visitor: Visitor) => Promise<unknown>,
  options = {},
): Promise<Visitor> => {
  const visitor = await arrive({ hash: `#/runs/${id}`, options, ...(prepare && { prepare }) })
  await visitor.sees('This run is awaiting input')
  await visitor.canAnswer()
  return visitor
}

/** With a clock that the test moves, so that half a second passes at once. */
const withClock = ({ page }: Visitor) => page.clock.install()
const passTime = ({ page }: Visitor, ms = 6_000) => page.clock.fastForward(ms)
const approveOf = ({ page }: Visitor) => page.getByRole('button', { name: 'Approve', exact: true })

/** Chromium has said what is in view. */
const isPainted = ({ page }: Visitor) =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')

/** The same while the clock of the page stands still. */
const isInFrame = ({ page }: Visitor) =>
  page.evaluate(`new Promise((done) => {
    const observer = new IntersectionObserver(() => {
      observer.disconnect()
      const again = new IntersectionObserver(() => (again.disconnect(), done()))
      again.observe(document.body)
    })
    observer.observe(document.body)
  })`)

const counts = ({ page }: Visitor) => page.getByRole('timer', { name: 'Time to undo' }).waitFor()

test('cannot be approved before all of its arguments were shown', async () => {
  const lines = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`line_${n}`, `Item ${n}`]))
  const { id } = await waitingRun({ call: call({ arguments: { ...lines, note: `Dear ${'x'.repeat(3_000)}` } }) })
  const person = await arriveAt(id, withClock)
  const approve = person.page.getByRole('button', { name: 'Approve', exact: true })
  expect(await approve.isDisabled()).toBe(true)
  await person.page.keyboard.press('Control+Enter')
  expect(await person.page.getByRole('timer').count()).toBe(0)
  // A person scrolls through them.
  for (let n = 0; n <= 60; n += 5) {
    await person.page.getByRole('rowheader', { name: `line_${Math.min(n, 59)}`, exact: true }).scrollIntoViewIfNeeded()
    await isPainted(person)
    await passTime(person, 500)
  }
  // The long text is left.
  expect(await approve.isDisabled()).toBe(true)
  await person.showsAllArguments()
  await person.page.getByText('x'.repeat(2_990)).waitFor()
  await expect.poll(() => approve.isEnabled()).toBe(true)
  await person.page.keyboard.press('Control+Enter')
  await counts(person)
  await passTime(person)
  await person.sees('Approved.')
})

test('text that the rest of the page pushes away was not seen', async () => {
  const goal = 'Pay what is due. '.repeat(34)
  const { id } = await waitingRun({ call: call() }, { input: { goal } })
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const person = await arrive({
    hash: `#/runs/${id}`,
    options: { viewport: { width: 360, height: 1_000 } },
    prepare: async (visitor) => {
      await withClock(visitor)
      await visitor.page.route(/include=.*created_by/, async (route) => {
        await released
        await route.continue()
      })
    },
  })
  const end = person.page.getByRole('rowheader', { name: 'invoice', exact: true })
  const approve = person.page.getByRole('button', { name: 'Approve', exact: true })
  const isInView = async () => {
    const { y = 0, height = 0 } = (await end.boundingBox()) ?? {}
    return y >= 0 && y + height <= (person.page.viewportSize()?.height ?? 0)
  }
  await person.sees('Loading the run…')
  await end.waitFor()
  const { y = 0 } = (await end.boundingBox()) ?? {}
  await person.page.setViewportSize({ width: 360, height: Math.ceil(y) + 60 })
  expect(await isInView()).toBe(true)
  await isPainted(person)
  await passTime(person, 60_000)
  // No answer without what led to the question. Buttons would move when it comes.
  expect(await approve.count()).toBe(0)
  expect(await person.page.getByRole('button', { name: 'Reject…', exact: true }).count()).toBe(0)
  await person.page.keyboard.press('Control+Enter')
  expect(await person.page.getByRole('timer').count()).toBe(0)
  release()
  await person.page.getByRole('heading', { name: 'So far' }).waitFor()
  expect(await isInView()).toBe(false)
  await isPainted(person)
  await passTime(person, 60_000)
  await person.sees('1 part of the arguments was not shown yet.')
  expect(await approve.isDisabled()).toBe(true)
  await end.scrollIntoViewIfNeeded()
  await isPainted(person)
  await passTime(person, 500)
  await expect.poll(() => approve.isEnabled()).toBe(true)
})

test('text that is in view for a moment only was not seen', async () => {
  const lines = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`line_${n}`, `Item ${n}`]))
  const { id } = await waitingRun({ call: call({ arguments: lines }) })
  const person = await arriveAt(id, withClock)
  const unseen = () => person.page.getByText(/parts? of the arguments/).innerText()
  const end = person.page.getByRole('rowheader', { name: 'line_59', exact: true })
  const heading = person.page.getByRole('heading', { name: 'So far' })
  await heading.scrollIntoViewIfNeeded()
  await isPainted(person)
  await person.page.clock.pauseAt(Date.now() + 60_000)
  const before = await unseen()
  await end.scrollIntoViewIfNeeded()
  await isInFrame(person)
  await person.page.clock.runFor(499)
  await heading.scrollIntoViewIfNeeded()
  await isInFrame(person)
  await person.page.clock.runFor(60_000)
  expect(await unseen()).toBe(before)
  await end.scrollIntoViewIfNeeded()
  await isInFrame(person)
  await person.page.clock.runFor(500)
  await expect.poll(unseen).not.toBe(before)
})

const lines = Array.from({ length: 2_000 }, (_, n) => `Line ${n}: pay the invoice of Oakline.`)

describe.each([
  ['a long text', { note: lines.join(' ') }],
  ['many short lines', { note: lines.map((_, n) => `${n}`).join('\n') }],
  [
    'a comparison',
    { old_text: lines.join('\n'), new_text: lines.map((line, n) => (n === 1_000 ? 'Pay Mallory.' : line)).join('\n') },
  ],
  ['the name of a field', { [lines.slice(0, 400).join(' ')]: 1 }],
])('of %s', (_what, given) => {
  test('the end alone is not enough', async () => {
    const { id } = await waitingRun({ call: call({ arguments: given }) })
    const person = await arriveAt(id, withClock)
    // What is folded is opened by hand.
    const more = person.page.getByRole('button', { name: /^Show .* characters$/ })
    while ((await more.count()) > 0) await more.first().press('Enter')
    for (const key of ['End', 'Home', 'End']) {
      await person.page.locator('main').focus()
      await person.page.keyboard.press(key)
      await isPainted(person)
      await passTime(person)
    }
    await person.page.getByText(/\d+ parts of the arguments were not shown yet\./).waitFor()
    expect(await approveOf(person).isDisabled()).toBe(true)
  })
})

test('the note about what was not shown moves no button', async () => {
  const { id } = await waitingRun({ call: call() })
  const person = await arriveAt(id, withClock, { viewport: { width: 1_000, height: 300 } })
  const names = ['Deny the call…', 'Reject…']
  const places = () => Promise.all(names.map((name) => placeOf(person, name)))
  const note = person.page.getByText('1 part of the arguments was not shown yet.')
  await note.waitFor()
  const before = await places()
  await person.page.getByRole('rowheader', { name: 'invoice', exact: true }).scrollIntoViewIfNeeded()
  await note.waitFor({ state: 'hidden' })
  expect(await places()).toEqual(before)
})

/** On the page, wherever it is scrolled to. */
const placeOf = async ({ page }: Visitor, name: string) => {
  const box = await page.getByRole('button', { name, exact: true }).boundingBox()
  return [Math.round(box?.x ?? 0), Math.round((box?.y ?? 0) + Number(await page.evaluate('scrollY')))]
}

test.each([
  ['on a wide screen', {}],
  ['on a phone', phone],
])('the button leads through a long text screen by screen, without being moved: %s', async (_where, options) => {
  const text = lines.slice(0, 300).join(' ')
  const { id } = await waitingRun({ call: call({ arguments: { note: text, amount: 17 } }) })
  const person = await arriveAt(id, withClock, options)
  const button = person.page.getByRole('button', { name: 'Show all first' })
  const seen = new Set<string>()
  const places = new Set<number>()
  await button.press('Enter')
  await person.takePicture(`show-all-${options === phone ? 'phone' : 'wide'}`)
  await person.hasNoAxeFindings()
  for (let n = 0; n < 100 && (await button.count()) > 0; n += 1) {
    const box = await button.boundingBox()
    if (box) places.add(Math.round(box.y + box.height))
    for (const line of await linesInView(person)) seen.add(line)
    await passTime(person, 600)
    await button.evaluateAll(([first]: { click(): void }[]) => first?.click())
    await isPainted(person)
  }
  for (const line of await linesInView(person)) seen.add(line)
  expect(text.match(/Line \d+/g)?.filter((line) => !seen.has(line))).toEqual([])
  expect(places.size).toBe(1)
  await passTime(person, 600)
  await expect.poll(() => approveOf(person).isEnabled()).toBe(true)
})

/** Of the text, what has a place on the screen. */
const linesInView = ({ page }: Visitor) =>
  page.evaluate(`(() => {
    const found = []
    const walker = document.createTreeWalker(document.querySelector('[aria-label="Arguments of pay"]'), NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      for (const match of walker.currentNode.data.matchAll(/Line \\d+/g)) {
        const range = document.createRange()
        range.setStart(walker.currentNode, match.index)
        range.setEnd(walker.currentNode, match.index + match[0].length)
        const { top, bottom } = range.getBoundingClientRect()
        if (top >= 0 && bottom <= innerHeight) found.push(match[0])
      }
    }
    return found
  })()`) as Promise<string[]>
