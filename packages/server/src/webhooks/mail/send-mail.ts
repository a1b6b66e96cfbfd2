// Sends one mail to a mail server, on a connection of its own. The password and the answers of the server are in no
// error: answers can contain addresses, or anything else.
import { connect, type Socket } from 'node:net'
import { createTransport } from 'nodemailer'
import { linkSignals } from '../../runtime/linked-signal.ts'

export interface OutgoingMail {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly messageId: string
  readonly date: Date
  /** The deliveries that it is about. */
  readonly deliveryIds: readonly string[]
}

export type MailResult =
  /** How many of the recipients the server has refused, if it has taken the mail for others. */
  | { readonly refused: number }
  | {
      readonly error: string
      readonly code: number | null
      readonly isPermanent: boolean
      /** The text went to the server, and there was no answer. */
      readonly mayHaveArrived: boolean
    }

/** `signal` ends the attempt, and then it rejects. */
export type SendMail = (mail: OutgoingMail, signal: AbortSignal) => Promise<MailResult>

interface SendOptions {
  /** As the setting has it. */
  readonly url: string
  /** Certificate authorities beside those of Node, for tests. */
  readonly ca?: string | undefined
  readonly timeoutMs?: number
}

/** Servers that look into a mail may take long to answer. */
const mailTimeoutMs = 120_000
/** Of a delivery: after it, another process sends the mail. */
export const mailLeaseMs = mailTimeoutMs + 60_000
/** Until the server greets. */
const connectTimeoutMs = 20_000

export function createSendMail({ url, ca, timeoutMs = mailTimeoutMs }: SendOptions): SendMail {
  const server = serverOf(url)
  return async (mail, stopped) => {
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), timeoutMs)
    const { signal, release } = linkSignals(stopped, timeout.signal)
    let hasText = false
    const onText = () => {
      hasText = true
    }
    try {
      return await Promise.race([send(mail, { ...server, ca, signal, timeoutMs, onText }), rejectedBy(signal)])
    } catch (error) {
      stopped.throwIfAborted()
      const failure = signal.aborted
        ? failed(`The mail server did not finish within ${timeoutMs / 1000} seconds.`)
        : failureOf(error)
      return { ...failure, mayHaveArrived: hasText && failure.code === null }
    } finally {
      clearTimeout(timer)
      release()
    }
  }
}

/** The signal also closes the socket, but the library may not notice in every state. */
const rejectedBy = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the attempt was ended')), { once: true })
  })

interface Server {
  readonly host: string
  readonly port: number
  /** TLS from the beginning, after STARTTLS, or not at all. */
  readonly tls: 'always' | 'starttls' | 'off'
  readonly auth: { readonly user: string; readonly pass: string } | undefined
}

function serverOf(text: string): Server {
  const url = new URL(text)
  const isSecure = url.protocol === 'smtps:'
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port),
    tls: isSecure ? 'always' : url.searchParams.get('tls') === 'off' ? 'off' : 'starttls',
    auth:
      url.username === ''
        ? undefined
        : { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
  }
}

interface Connection extends Server {
  readonly ca: string | undefined
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** The text of the mail begins to go to the server. */
  readonly onText: () => void
}

async function send(mail: OutgoingMail, { host, port, tls, auth, ca, signal, timeoutMs, onText }: Connection) {
  const transport = createTransport({
    host,
    port,
    secure: tls === 'always',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'off',
    ...(auth && { auth }),
    tls: { ...(ca && { ca }), minVersion: 'TLSv1.2' },
    // The signal closes the socket, wherever the conversation is.
    getSocket: (_options: unknown, take: (error: Error | null, socket?: { connection: Socket }) => void) => {
      const socket = connect({ host, port, signal, timeout: connectTimeoutMs })
      socket.once('error', take)
      socket.once('timeout', () => socket.destroy(Object.assign(new Error('no connection'), { code: 'ETIMEDOUT' })))
      socket.once('connect', () => {
        socket.off('error', take)
        socket.removeAllListeners('timeout')
        take(null, { connection: socket })
      })
    },
    greetingTimeout: Math.min(connectTimeoutMs, timeoutMs),
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  transport.use('stream', ({ message }, done) => {
    const read = message.createReadStream.bind(message)
    // It is read once the server has taken the sender and the recipients.
    message.createReadStream = (options) => read(options).once('resume', onText)
    done()
  })
  const { rejected } = await transport.sendMail({
    envelope: { from: mail.from, to: [...mail.to] },
    from: { name: 'Runwright', address: mail.from },
    to: mail.to.map((address) => ({ name: '', address })),
    subject: mail.subject,
    text: mail.text,
    messageId: mail.messageId,
    date: mail.date,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'X-Runwright-Delivery': mail.deliveryIds.join(' '),
    },
  })
  return { refused: rejected.length }
}

type Refusal = Omit<Extract<MailResult, { error: string }>, 'mayHaveArrived'>

const failed = (error: string, code: number | null = null): Refusal => ({
  error,
  code,
  // 5xx: asking again does not help. A refused sign-in is the operator's to mend, and then the mail is sent.
  isPermanent: code !== null && code >= 500,
})

const refusedWhat: Readonly<Record<string, string>> = {
  EENVELOPE: 'the sender or all recipients',
  EMESSAGE: 'the message',
}

/** What the operator mends in the settings: then the mail is sent. */
const wantsSignIn = new Set([530, 534, 535, 538])
const isCertificate = (code: string): boolean => /CERT|^UNABLE_TO_/.test(code)
const known = (code: string): string => (/^[A-Z_0-9]{1,50}$/.test(code) ? code : 'unknown error')

/** Says what went wrong with fixed words and codes only. */
function failureOf(error: unknown): Refusal {
  const { code = '', originalCode = code, responseCode = null } = error as SendError
  const answer = responseCode === null ? '' : ` (${responseCode})`
  if (refusedWhat[code] && !wantsSignIn.has(responseCode ?? 0))
    return failed(`The mail server refused ${refusedWhat[code]}${answer}.`, responseCode)
  const text = failureText(code, originalCode, responseCode)
  return { error: `${text}${answer}.`, code: responseCode, isPermanent: false }
}

interface SendError {
  readonly code?: string
  /** That of Node, if the library has put its own in the place. */
  readonly originalCode?: string
  readonly responseCode?: number
}

function failureText(code: string, cause: string, responseCode: number | null): string {
  if (code === 'EAUTH') return 'The mail server refused the user or the password of RUNWRIGHT_SMTP_URL'
  if (responseCode !== null && wantsSignIn.has(responseCode))
    return 'The mail server wants another user or password, or encryption: see RUNWRIGHT_SMTP_URL'
  const noTls = 'There is no secure connection to the mail server'
  if (isCertificate(cause)) return `${noTls}: its certificate is not valid (${known(cause)})`
  if (code === 'ETLS') return `${noTls}: it offers no STARTTLS, or none that works`
  return `The mail server could not be reached (${known(cause)})`
}
