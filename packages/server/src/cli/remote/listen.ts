// `runwright webhooks listen`: receives the messages of a webhook on this host, verifies and prints them, for
// development.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CreateWebhook, RunwrightError } from '@runwright/client'
import { type Command, InvalidArgumentError } from 'commander'
import { type MessageHeaders, problemOf } from '../../webhooks/verify-message.ts'
import type { Io } from '../output/io.ts'
import { printJsonLine, printText } from '../output/print.ts'
import { Refusal } from '../output/refusal.ts'
import { safeLine } from '../output/safe-text.ts'
import { withInterruption } from './interruption.ts'
import { jsonOption, type RemoteOptions, remoteCommand, wholeNumber, withService } from './remote-command.ts'

interface Options extends RemoteOptions {
  readonly port: number
  readonly secret?: string
  readonly forwardTo?: string
  readonly events?: NonNullable<CreateWebhook['event_types']>
}

const maxBytes = 64 * 1024

export function listenCommand(io: Io): Command {
  return remoteCommand('listen', 'receive messages on this host, verify and print them, until Ctrl-C')
    .option('--port <number>', 'the port to listen on; 0 selects a free one', wholeNumber, 3000)
    .option('--secret <secret>', 'the secret of a webhook that exists (default: a webhook for as long as this runs)')
    .option('--events <types>', 'comma-separated list of event types, without --secret', (text) => text.split(','))
    .option(
      '--forward-to <url>',
      'send each message on to this URL, with its headers, and give its answer back',
      forwardUrl,
    )
    .option(...jsonOption)
    .action((options: Options) => withInterruption(({ signal }) => listen(io, options, signal), ['SIGINT', 'SIGTERM']))
}

async function listen(io: Io, options: Options, signal: AbortSignal): Promise<void> {
  let secret = options.secret
  const server = createServer((request, response) => void receive(io, { request, response, secret, ...options }))
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new Refusal(`${error.message}. Choose another port with --port.`)))
    server.listen(options.port, '127.0.0.1', resolve)
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  try {
    if (secret !== undefined) return await announced(io, endpoint, ended)
    await withService(io, options, async ({ client }) => {
      const { events } = options
      // Of its own: one that is there already may be somebody's, and is not to be deleted at the end.
      const name = `webhooks listen ${randomUUID()}`
      const request = { url: endpoint, name, ...(events && { event_types: events }) }
      const created = await client.webhooks.create(request).catch(adviseOnEndpoint)
      secret = created.secret ?? undefined
      if (options.forwardTo) io.stderr.write(`Messages are signed with the secret ${secret}\n`)
      await announced(io, endpoint, ended).finally(() => client.webhooks.delete(created.webhook.id))
      io.stderr.write('Stopped. The webhook was deleted.\n')
    })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** The service names the field that it refuses. */
function adviseOnEndpoint(error: unknown): never {
  if (!(error instanceof RunwrightError) || !error.message.startsWith('url: ')) throw error
  throw new Refusal(
    'The service does not send messages to its own host. Restart it with RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES=allow.',
  )
}

async function announced(io: Io, endpoint: string, ended: Promise<void>): Promise<void> {
  io.stderr.write(`Listening on ${endpoint}. Press Ctrl-C to stop.\n`)
  await ended
}

interface Reception {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly secret: string | undefined
  readonly forwardTo?: string
  readonly json?: true
}

async function receive(io: Io, { request, response, secret, forwardTo, json }: Reception): Promise<void> {
  const body = await readBody(request)
  const problem = body === undefined ? 'the body is too large' : verify(request, body, secret)
  if (problem !== undefined || body === undefined) {
    io.stderr.write(`Refused a message: ${problem}.\n`)
    return void response.writeHead(400).end()
  }
  const message = JSON.parse(body)
  if (json) printJsonLine(io, message)
  else printText(io, describe(message))
  if (forwardTo === undefined) return void response.writeHead(204).end()
  const status = await forward(forwardTo, { headers: request.headers as MessageHeaders, body })
  io.stderr.write(`${forwardTo} ${status === undefined ? 'cannot be reached' : `answered ${status}`}.\n`)
  response.writeHead(status ?? 502).end()
}

/** The service repeats a message that gets no answer within this time. */
const longestMs = 14_000

/** As it came, so that the receiver can verify it with the secret that is printed. */
async function forward(
  url: string,
  { headers, body }: { readonly headers: MessageHeaders; readonly body: string },
): Promise<number | undefined> {
  const names = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'] as const
  const sent = Object.fromEntries(names.map((name) => [name, String(headers[name] ?? '')]))
  const signal = AbortSignal.timeout(longestMs)
  try {
    const answer = await fetch(url, { method: 'POST', headers: sent, body, redirect: 'manual', signal })
    await answer.body?.cancel()
    return answer.status
  } catch {
    return undefined
  }
}

function forwardUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol)) return url.href
  throw new InvalidArgumentError('It must be a URL, such as http://127.0.0.1:3001/hooks.')
}

const verify = ({ headers }: IncomingMessage, body: string, secret: string | undefined): string | undefined =>
  problemOf({ headers: headers as MessageHeaders, body }, { secret: secret ?? '', nowMs: Date.now() })

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

interface Message {
  readonly type: string
  readonly timestamp: string
  readonly data: { readonly run_id: string; readonly status: string; readonly seq: number }
}

const describe = ({ type, timestamp, data }: Message): string =>
  safeLine(`${timestamp} ${type} ${data.run_id} seq ${data.seq}: ${data.status}`)
