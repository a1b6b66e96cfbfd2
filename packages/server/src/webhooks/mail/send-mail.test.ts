// Connections to a real mail server on loopback: encrypted, and signed in.
import selfsigned from 'selfsigned'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { MailServer, smtpError } from '../../../test/support/mail-server.ts'
import { createSendMail } from './send-mail.ts'

let server: MailServer
beforeEach(async () => {
  server = await new MailServer().start()
})
afterEach(() => server.stop())

describe('the connection', () => {
  const certificateFor = async (ip: string) => {
    const made = await selfsigned.generate([{ name: 'commonName', value: 'localhost' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip }] }],
      keySize: 2048,
    })
    return { key: made.private, cert: made.cert }
  }
  let key: string
  let cert: string
  beforeAll(async () => {
    const made = await certificateFor('127.0.0.1')
    key = made.key
    cert = made.cert
  })
  const mail = {
    ...{ from: 'runwright@mail.example', to: ['ops@acme.example'], subject: 'x', text: 'x', messageId: '<a@b>' },
    ...{ date: new Date(), deliveryIds: ['a'] },
  }
  const password = 'p@ss/w+rd%'
  const credentials = `ada:${encodeURIComponent(password)}`
  const signal = new AbortController().signal
  const sendTo = (url: string, ca?: string) => createSendMail({ url, ca, timeoutMs: 2_000 })(mail, signal)

  const secureServer = async (options = {}) => {
    await server.stop()
    server = await new MailServer({ key, cert, authOptional: false, ...options }).start()
  }

  test('uses STARTTLS before it signs in', async () => {
    const seen: unknown[] = []
    await secureServer({
      onAuth: (
        auth: { username: string; password: string },
        session: { secure: boolean },
        done: (error: null, ok: object) => void,
      ) => {
        seen.push([auth.username, auth.password, session.secure])
        done(null, { user: auth.username })
      },
    })
    expect(await sendTo(`smtp://${credentials}@127.0.0.1:${server.port}`, cert)).toEqual({ refused: 0 })
    expect(seen).toEqual([['ada', password, true]])
    expect(server.received.all).toMatchObject([{ isSecure: true }])
  })

  test('uses TLS from the beginning with smtps', async () => {
    await secureServer({ secure: true })
    expect(await sendTo(`smtps://${credentials}@127.0.0.1:${server.port}`, cert)).toEqual({ refused: 0 })
    expect(server.received.all).toMatchObject([{ isSecure: true }])
  })

  test.each([
    ['smtp', 'nobody vouches for', '127.0.0.1', false, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['smtps', 'nobody vouches for', '127.0.0.1', false, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['smtp', 'is trusted, for another host', '127.0.0.2', true, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['smtps', 'is trusted, for another host', '127.0.0.2', true, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('of %s is refused if the certificate %s: the password stays here', async (scheme, _, ip, isTrusted, code) => {
    const signIns = vi.fn()
    const other = await certificateFor(ip)
    await secureServer({ ...other, secure: scheme === 'smtps', onAuth: signIns })
    const url = `${scheme}://${credentials}@127.0.0.1:${server.port}`
    expect(await sendTo(url, isTrusted ? other.cert : undefined)).toEqual({
      error: `There is no secure connection to the mail server: its certificate is not valid (${code}).`,
      ...{ code: null, isPermanent: false, mayHaveArrived: false },
    })
    expect(signIns).not.toHaveBeenCalled()
    expect(server.received.all).toEqual([])
  })

  test('is refused if there is no STARTTLS: the password stays here', async () => {
    const signIns = vi.fn()
    await server.stop()
    server = await new MailServer({ onAuth: signIns }).start()
    const result = await sendTo(`smtp://${credentials}@127.0.0.1:${server.port}`)
    expect(result).toMatchObject({ error: expect.stringMatching(/no secure connection.*offers no STARTTLS/) })
    expect(signIns).not.toHaveBeenCalled()
    expect(server.received.all).toEqual([])
  })

  test('with a wrong password: the error has no secret, and it is tried again', async () => {
    await secureServer({
      onAuth: (_auth: unknown, _session: unknown, done: (error: Error) => void) => done(smtpError(535, password)),
    })
    const result = await sendTo(`smtp://${credentials}@127.0.0.1:${server.port}`, cert)
    expect(result).toEqual({
      error: 'The mail server refused the user or the password of RUNWRIGHT_SMTP_URL (535).',
      ...{ code: 535, isPermanent: false, mayHaveArrived: false },
    })
  })

  test.each([530, 534, 535, 538])('to a server that wants another sign-in (%i): it is tried again', async (code) => {
    server.onSender = () => smtpError(code, password)
    expect(await sendTo(`smtp://127.0.0.1:${server.port}?tls=off`)).toEqual({
      error: `The mail server wants another user or password, or encryption: see RUNWRIGHT_SMTP_URL (${code}).`,
      ...{ code, isPermanent: false, mayHaveArrived: false },
    })
  })
})
