// What was mailed, or perhaps was, and comes again.
import { describe, expect, test } from 'vitest'
import { headerOf, smtpError } from '../../../test/support/mail-server.ts'
import { useMailing } from '../../../test/support/mailing.ts'
import { mailsPerWindow } from './mail-pace.ts'

const mailing = useMailing()

interface Limits {
  readonly perCustomer?: number
}

describe('a list whose fate is not known', () => {
  const listed = () => mailing.mails.map(({ raw }) => headerOf(raw, 'message-id'))

  /** The server has each mail, and says that it has not. */
  const deniesMails = (limits: Limits = {}) => {
    mailing.server.onMail = async () => smtpError(451)
    mailing.use({ limits })
  }
  const worksAgain = async (limits: Limits = {}) => {
    mailing.server.onMail = async () => undefined
    await mailing.deliverer.stop()
    mailing.use({ limits })
    await mailing.passTime()
    await mailing.deliverer.runOnce()
  }

  test('comes again as it was, with the same id: what was asked meanwhile is another mail', async () => {
    deniesMails()
    await mailing.askMany(4)
    await mailing.deliverer.runOnce()
    // Due at different times, they would come one by one.
    expect(await mailing.fresh.database.run({ text: 'select distinct next_at from webhook_deliveries' })).toHaveLength(
      1,
    )
    await mailing.askMany(5)
    await mailing.deliverer.runOnce()
    const [first, second] = listed()
    expect(second).not.toBe(first)
    // Both fail together once more: they stay two.
    await mailing.passTime()
    await mailing.deliverer.runOnce()
    await mailing.askMany(1)
    mailing.nowMs += 60_000
    await worksAgain()
    expect(listed()).toHaveLength(7)
    expect(listed().slice(2, 4).sort()).toEqual([first, second].sort())
    expect(listed().slice(4)).toEqual(expect.arrayContaining([first, second, expect.stringMatching(/^<run_/)]))
    expect((await mailing.rows()).every(({ delivered }) => delivered)).toBe(true)
  })

  test('comes again whole, although its lists are more than a process takes at once', async () => {
    const limits = { perCustomer: 6 }
    deniesMails(limits)
    await mailing.askMany(5)
    await mailing.deliverer.runOnce()
    await mailing.endPause()
    await mailing.askMany(5)
    await mailing.deliverer.runOnce()
    const before = listed()
    await worksAgain(limits)
    expect(listed().slice(2).sort()).toEqual(before.sort())
  })

  test('comes again without a question that was answered meanwhile, as a list with another id', async () => {
    deniesMails()
    const { id } = await mailing.ask('Pay?')
    await mailing.askMany(3)
    await mailing.deliverer.runOnce()
    await mailing.cancel(id)
    await worksAgain()
    const [first, ...again] = mailing.mails
    expect(again.map(({ raw }) => headerOf(raw, 'subject'))).toEqual(['[Runwright] 3 runs wait for a decision'])
    expect(headerOf(again[0]?.raw ?? '', 'message-id')).not.toBe(headerOf(first?.raw ?? '', 'message-id'))
  })

  test('comes again as it was, although it had to wait for its turn in between', async () => {
    mailing.server.onMail = () => new Promise(() => undefined)
    await mailing.askMany(4)
    mailing.deliverer.poke()
    await mailing.server.received.nth(1, () => true)
    await mailing.deliverer.stop()
    const [first] = listed()
    const attemptedAt = (await mailing.rows())[0]?.attemptedAt
    mailing.server.onMail = async () => undefined
    mailing.use()
    await mailing.fresh.database.run({ text: "update webhook_deliveries set next_at = now() + interval '1 hour'" })
    await mailing.askOneByOne(mailsPerWindow)
    await mailing.passTime()
    await mailing.askMany(2)
    await mailing.deliverer.runOnce()
    expect(listed()).toHaveLength(1 + mailsPerWindow)
    const held = (await mailing.rows()).filter(({ nextAt }) => nextAt !== null)
    expect(held.map((row) => row.attemptedAt).sort()).toEqual([...Array(4).fill(attemptedAt), null, null].sort())
    mailing.nowMs += 60_000
    await mailing.passTime()
    await mailing.deliverer.runOnce()
    expect(listed().slice(1 + mailsPerWindow)).toEqual(expect.arrayContaining([first]))
    expect(listed()).toHaveLength(1 + mailsPerWindow + 3)
  })

  test('comes again as it was after a stop', async () => {
    mailing.server.onMail = () => new Promise(() => undefined)
    await mailing.askMany(4)
    mailing.deliverer.poke()
    await mailing.server.received.nth(1, () => true)
    await mailing.deliverer.stop()
    await mailing.askMany(4)
    mailing.server.onMail = async () => undefined
    mailing.use()
    await mailing.deliverer.runOnce()
    const [first, ...again] = listed()
    expect(again).toHaveLength(2)
    expect(again).toContain(first)
  })

  test('one that only waited for its turn was not tried: it becomes one mail with what came meanwhile', async () => {
    await mailing.askOneByOne(mailsPerWindow)
    for (let count = 0; count < 2; count += 1) {
      await mailing.askMany(2)
      await mailing.deliverer.runOnce()
    }
    expect((await mailing.rows()).slice(0, 4).map(({ attempt, attemptedAt }) => [attempt, attemptedAt])).toEqual(
      Array(4).fill([0, null]),
    )
    mailing.nowMs += 60_000
    await mailing.passTime()
    await mailing.deliverer.runOnce()
    expect(headerOf(mailing.mails.at(-1)?.raw ?? '', 'subject')).toBe('[Runwright] 4 runs wait for a decision')
  })
})
