// What was mailed, or perhaps was, and comes again.
import { describe, expect, test, vi } from 'vitest'
import { Driver } from '../../../test/support/drive.ts'
import { headerOf, MailServer, smtpError } from '../../../test/support/mail-server.ts'
import { mailAddresses, useMailing } from '../../../test/support/mailing.ts'
import { mailsPerWindow } from './mail-pace.ts'

const mailing = useMailing()

interface Limits {
  readonly perCustomer?: number
}

describe('a list whose fate is not known', () => {
  const listed = () => mailing.headers('message-id')

  const cutsConnections = (limits: Limits = {}) => {
    mailing.server.onMail = (_, cut) => cut()
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
    cutsConnections()
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
    cutsConnections(limits)
    await mailing.askMany(5)
    await mailing.deliverer.runOnce()
    await mailing.endPause()
    await mailing.askMany(5)
    await mailing.deliverer.runOnce()
    const before = listed()
    await worksAgain(limits)
    expect(listed().slice(2).sort()).toEqual(before.sort())
  })

  test('fills a process, although it is more than the process has places for', async () => {
    cutsConnections()
    await mailing.askMany(5)
    await mailing.deliverer.runOnce()
    await mailing.deliverer.stop()
    await mailing.passTime()
    const onFull = vi.fn()
    mailing.use({ limits: { places: 3 }, onFull })
    await mailing.deliverer.runOnce()
    expect(onFull).toHaveBeenCalled()
  })

  test('comes again without a question that was answered meanwhile, as a list with another id', async () => {
    cutsConnections()
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

describe('a mail that was certainly not sent', () => {
  const digest = '[Runwright] 6 runs wait for a decision'

  test.each([
    ['the message', () => ({ onMail: async () => smtpError(451) })],
    ['all recipients', () => ({ onRecipient: () => smtpError(451) })],
  ])('because the server refused %s for now becomes one mail with what was asked meanwhile', async (_, refuse) => {
    Object.assign(mailing.server, refuse())
    await mailing.askOneByOne(3)
    await mailing.askMany(3)
    const before = mailing.mails.length
    Object.assign(mailing.server, { onMail: async () => undefined, onRecipient: () => undefined })
    await mailing.passTime()
    await mailing.deliverer.runOnce()
    expect(mailing.headers('subject').slice(before)).toEqual([digest])
  })

  test('because the server was away becomes one mail with what was asked meanwhile', async () => {
    const { port } = mailing.server
    await mailing.server.stop()
    await mailing.askOneByOne(4)
    await mailing.askMany(2)
    mailing.server = await new MailServer().start(port)
    await mailing.passTime()
    await mailing.deliverer.runOnce()
    expect(mailing.headers('subject')).toEqual([digest])
  })

  test('stays a mail of its own if the attempt before may have sent it', async () => {
    mailing.server.onMail = (_, cut) => cut()
    await mailing.askMany(4)
    await mailing.deliverer.runOnce()
    mailing.server.onMail = async () => smtpError(451)
    await mailing.passTime()
    await mailing.deliverer.runOnce()
    mailing.server.onMail = async () => undefined
    await mailing.askMany(4)
    await mailing.passTime()
    await mailing.deliverer.runOnce()
    const [first, second, ...again] = mailing.headers('message-id')
    expect(second).toBe(first)
    expect(again).toHaveLength(2)
    expect(again).toContain(first)
  })
})

describe('a list that was tried before the addresses changed', () => {
  test('goes to the new addresses, as a mail for each of them', async () => {
    mailing.server.onMail = (_, cut) => cut()
    await mailing.askMany(2)
    await mailing.ask('Pay?', 'acme', ['finance'])
    await mailing.ask('Pay more?', 'acme', ['finance'])
    mailing.use({ addresses: { ...mailAddresses, customers: { acme: { default: ['ops@acme.example'], roles: {} } } } })
    await mailing.deliverer.runOnce()
    expect(mailing.mails).toHaveLength(1)
    mailing.server.onMail = async () => undefined
    await mailing.deliverer.stop()
    mailing.use()
    await mailing.passTime()
    await mailing.deliverer.runOnce()
    const [first, ...others] = mailing.headers('message-id')
    expect(
      mailing.mails
        .slice(1)
        .map(({ to }) => to.join())
        .sort(),
    ).toEqual(['ada@acme.example,bob@acme.example', 'ops@acme.example'])
    expect(new Set([first, ...others]).size).toBe(3)
    expect((await mailing.rows()).every(({ delivered }) => delivered)).toBe(true)
  })
})

test('a new question of a run does not wait for the undelivered mail about an answered one', async () => {
  mailing.server.onRecipient = () => smtpError(451)
  const { id } = await mailing.ask('The first?')
  await mailing.deliverer.runOnce()
  const driver = new Driver(mailing.fresh.database)
  await driver.apply(id, { trigger: 'approve', events: [{ type: 'run.signal_applied', payload: {} }] })
  mailing.server.onRecipient = () => undefined
  await driver.toAwaiting(id, { prompt: 'The second?' })
  await mailing.deliverer.runOnce()
  expect(mailing.headers('subject')).toEqual([expect.stringContaining('The second?')])
})

describe('the next attempt', () => {
  const pauses = async () => {
    const rows = await mailing.rows()
    return rows.map(({ nextAt, attemptedAt }) => ((nextAt?.getTime() ?? 0) - (attemptedAt?.getTime() ?? 0)) / 1000)
  }

  test('is soon and there are more of them, as long as the question is open', async () => {
    mailing.server.onRecipient = () => smtpError(451)
    await mailing.ask('Pay?')
    await mailing.deliverer.runOnce()
    for (const [attempt, atLeast, atMost] of [
      [1, 60, 80],
      [40, 300, 370],
    ] as const) {
      await mailing.fresh.database.run({ text: 'update webhook_deliveries set attempt = $1', values: [attempt] })
      await mailing.passTime()
      await mailing.deliverer.runOnce()
      const [pause = 0] = await pauses()
      expect(pause).toBeGreaterThanOrEqual(atLeast)
      expect(pause).toBeLessThan(atMost)
    }
  })

  test('of another process comes after this one has had all the time that a server may take', async () => {
    mailing.server.onMail = () => new Promise(() => undefined)
    await mailing.ask('Pay?')
    mailing.deliverer.poke()
    await mailing.server.received.nth(1, () => true)
    const [pause] = await pauses()
    expect(pause).toBeGreaterThan(120)
  })

  test('of a mail that waits for its turn is not later because another one took long', async () => {
    await mailing.askOneByOne(mailsPerWindow - 1)
    let answer: () => void = () => undefined
    mailing.server.onMail = () =>
      new Promise((resolve) => {
        answer = () => resolve(undefined)
      })
    await mailing.ask('One?')
    await mailing.ask('Two?')
    const sending = mailing.deliverer.runOnce()
    await mailing.server.received.nth(mailsPerWindow, () => true)
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 600_000)
    answer()
    await sending
    vi.restoreAllMocks()
    const [pause = 0] = (await mailing.rows())
      .filter(({ nextAt }) => nextAt !== null)
      .map(({ nextAt }) => ((nextAt?.getTime() ?? 0) - Date.now()) / 1000)
    expect(pause).toBeLessThan(61)
  })
})
