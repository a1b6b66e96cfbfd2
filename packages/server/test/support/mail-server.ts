// A mail server on loopback: keeps what it accepts, and answers as a test says.
import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { Occurrences } from './occurrences.ts'

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
  readonly isSecure: boolean
  readonly user: string | undefined
}

export const headerOf = (raw: string, name: string): string => {
  const lines = raw
    .slice(0, raw.indexOf('\r\n\r\n'))
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  return lines.find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}: `))?.slice(name.length + 2) ?? ''
}

/** With soft line breaks and escapes of quoted-printable, or base64, undone. */
export const textOf = (raw: string): string => {
  const body = raw.slice(raw.indexOf('\r\n\r\n') + 4)
  const encoding = headerOf(raw, 'content-transfer-encoding')
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return body
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

export const smtpError = (responseCode: number, message = 'no'): Error =>
  Object.assign(new Error(message), { responseCode })

export class MailServer {
  readonly received = new Occurrences<ReceivedMail>()
  /** What becomes of the sender, of a recipient, and of a mail. Default: accepted. */
  onSender: () => Error | undefined = () => undefined
  onRecipient: (address: string) => Error | undefined = () => undefined
  /** Resolves with what it answers. `cut` breaks the connection: the sender cannot know what became of the mail. */
  onMail: (mail: ReceivedMail, cut: () => Promise<never>) => Promise<Error | undefined> = async () => undefined
  readonly #server: SMTPServer
  readonly #sockets = new Set<Socket>()

  constructor(options: SMTPServerOptions = {}) {
    this.#server = new SMTPServer({
      authOptional: true,
      closeTimeout: 50,
      disabledCommands: options.key ? [] : ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username }, _session, done) => done(null, { user: username }),
      onMailFrom: (_address, _session, done) => done(this.onSender()),
      onRcptTo: ({ address }, _session, done) => done(this.onRecipient(address)),
      onData: (stream, { envelope, secure, user, remotePort }, done) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          const from = envelope.mailFrom ? envelope.mailFrom.address : ''
          const to = envelope.rcptTo.map(({ address }) => address)
          const raw = Buffer.concat(chunks).toString()
          const mail = { from, to, raw, isSecure: secure, user: user as unknown as string | undefined }
          this.received.add(mail)
          const cut = () => {
            for (const socket of this.#sockets) if (socket.remotePort === remotePort) socket.destroy()
            return new Promise<never>(() => undefined)
          }
          void this.onMail(mail, cut).then((error) => done(error))
        })
      },
      ...options,
    })
    this.#server.on('error', () => undefined)
    this.#server.server.on('connection', (socket: Socket) => this.#sockets.add(socket))
  }

  async start(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve))
    return this
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.#server.close(resolve))
  }
}
