// `runwright webhooks listen`: receives the messages of a webhook on this host, verifies and prints them, for
// development.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CreateWebhook, RunwrightError } from '@runwright/client'
import type { Command } from 'commander'
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
  readonly events?: NonNullable<CreateWebhook['event_types']>
}

const maxBytes = 64 * 1024

export function listenCommand(io: Io): Command {
  return remoteCommand('listen', 'receive messages on this host, verify and print them, until Ctrl-C')
    .option('--port <number>', 'the port to listen on; 0 selects a free one', wholeNumber, 3000)
    .option('--secret <secret>', 'the secret of a webhook that exists (default: a webhook for as long as this runs)')
    .option('--events <types>', 'comma-separated list of event types, without --secret', (text) => text.split(','))
    .option(...jsonOption)
    .action((options: Options) => withInterruption(({ signal }) => listen(io, options, signal)))
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
      const request = { url: endpoint, ...(events && { event_types: events }) }
      const created = await client.webhooks.create(request).catch(adviseOnEndpoint)
      secret = created.secret
      await announced(io, endpoint, ended).finally(() => client.webhooks.delete(created.webhook.id))
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
  readonly json?: true
}

async function receive(io: Io, { request, response, secret, json }: Reception): Promise<void> {
  const body = await readBody(request)
  const problem = body === undefined ? 'the body is too large' : verify(request, body, secret)
  if (problem !== undefined || body === undefined) {
    io.stderr.write(`Refused a message: ${problem}.\n`)
    return void response.writeHead(400).end()
  }
  const message = JSON.parse(body)
  if (json) printJsonLine(io, message)
  else printText(io, describe(message))
  response.writeHead(204).end()
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
