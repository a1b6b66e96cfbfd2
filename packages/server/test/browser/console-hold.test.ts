// The button for what cannot be taken back: it is held, by mouse, finger or key, and decides when it is let go. What is
// still pressed then must not undo the decision.
import { describe, expect, test } from 'vitest'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { caller, driver, arrive } = await openConsole()

const call = {
  ...{ tool: 'pay', arguments: { invoice: 17 }, argumentsHash: 'ab', why: 'Policy requires approval for this tool.' },
  ...{ hasRead: [], callId: 'call_1', idempotencyKey: 'call_1' },
}

const arriveAt = async (page: 'runs' | 'decide', { wait = { call } as object, options = {} } = {}) => {
  const { id } = await caller.newRun()
  const seq = await driver.toAwaiting(id, wait)
  const hash = page === 'runs' ? `#/runs/${id}` : `#/decide/${id}/${seq}`
  const person = await arrive({ hash, options, prepare: ({ page: its }) => its.clock.install() })
  await expect.poll(() => approve(person).isEnabled()).toBe(true)
  return { id, person }
}

const approve = ({ page }: Visitor) => page.getByRole('button', { name: 'Approve', exact: true })
const timer = ({ page }: Visitor) => page.getByRole('timer', { name: 'Time to undo' })
const passTime = ({ page }: Visitor, ms: number) => page.clock.fastForward(ms)

/** What was decided last, once its time to undo is over: nothing, if it was undone. */
const outcomeOf = async (person: Visitor, id: string) => {
  await passTime(person, 6_000)
  await person.sees('Approved.')
  const { signals } = (await caller.get(`/v1/runs/${id}?include=signals`)).json<{ signals: { action: string }[] }>()
  return signals.map(({ action }) => action)
}

const isUndecided = async (person: Visitor) => {
  await passTime(person, 6_000)
  expect(await timer(person).count()).toBe(0)
  expect(await approve(person).isEnabled()).toBe(true)
}

describe.each(['runs', 'decide'] as const)('with the keyboard, on the page /%s', (page) => {
  test.each(['Enter', 'Space'])('%s is held while the browser repeats it, and let go', async (key) => {
    const { id, person } = await arriveAt(page)
    await approve(person).focus()
    for (let n = 0; n < 10; n += 1) {
      await person.page.keyboard.down(key)
      await passTime(person, 100)
    }
    expect(await timer(person).count()).toBe(0)
    await person.takePicture('hold-full')
    await person.hasNoAxeFindings()
    await person.page.keyboard.up(key)
    await timer(person).waitFor()
    expect(await outcomeOf(person, id)).toEqual(['approve'])
  })

  test('Ctrl+Enter does the same, also if it is held', async () => {
    const { id, person } = await arriveAt(page)
    await person.page.locator('main').focus()
    await person.page.keyboard.down('Control')
    for (let n = 0; n < 5; n += 1) await person.page.keyboard.down('Enter')
    await timer(person).waitFor()
    await person.page.keyboard.up('Enter')
    await person.page.keyboard.up('Control')
    expect(await outcomeOf(person, id)).toEqual(['approve'])
  })
})

test('another key lets go of it without a decision', async () => {
  const { person } = await arriveAt('runs')
  await approve(person).focus()
  await person.page.keyboard.down('Enter')
  await passTime(person, 1_000)
  await person.page.keyboard.press('Escape')
  await person.page.keyboard.up('Enter')
  await isUndecided(person)
})

test('where one press of Enter is enough, holding it does not undo the decision', async () => {
  const { id, person } = await arriveAt('runs', { wait: { prompt: 'Go on?' } })
  await approve(person).focus()
  await person.page.keyboard.down('Enter')
  await timer(person).waitFor()
  for (let n = 0; n < 5; n += 1) await person.page.keyboard.down('Enter')
  await person.page.keyboard.up('Enter')
  expect(await outcomeOf(person, id)).toEqual(['approve'])
})

describe('with a finger', () => {
  const touch = async (person: Visitor) => {
    await approve(person).scrollIntoViewIfNeeded()
    const { x = 0, y = 0 } = (await approve(person).boundingBox()) ?? {}
    const devtools = await person.page.context().newCDPSession(person.page)
    const at = (type: string, touchPoints: readonly { x: number; y: number }[]) =>
      devtools.send('Input.dispatchTouchEvent', { type, touchPoints } as never)
    return {
      press: () => at('touchStart', [{ x: x + 20, y: y + 15 }]),
      slideOff: () => at('touchMove', [{ x: x + 20, y: y - 60 }]),
      letGo: () => at('touchEnd', []),
    }
  }
  const onPhone = { options: { ...phone, hasTouch: true } }

  test('it is held and let go', async () => {
    const { id, person } = await arriveAt('decide', onPhone)
    const finger = await touch(person)
    await finger.press()
    await passTime(person, 1_000)
    expect(await timer(person).count()).toBe(0)
    await finger.letGo()
    await timer(person).waitFor()
    expect(await outcomeOf(person, id)).toEqual(['approve'])
  })

  test.each([400, 1_000])('sliding off after %d ms decides nothing', async (ms) => {
    const { person } = await arriveAt('decide', onPhone)
    const finger = await touch(person)
    await finger.press()
    await passTime(person, ms)
    await finger.slideOff()
    await passTime(person, 1_000)
    await finger.letGo()
    await isUndecided(person)
  })
})
