// `runwright webhooks …`: the endpoints that receive messages about events, and what they have received.
import type { CreateWebhook, Delivery, Webhook } from '@runwright/client'
import { postFormats } from '@runwright/contract'
import { Command, Option } from 'commander'
import { commandLine } from '../output/command-line.ts'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { type Column, renderTable } from '../output/print-table.ts'
import { safeLine, shortLine } from '../output/safe-text.ts'
import { listenCommand } from './listen.ts'
import { outcomeCommand } from './outcome-command.ts'
import { jsonOption, type RemoteOptions, remoteCommand, wholeNumber, withService } from './remote-command.ts'

type EventTypes = NonNullable<CreateWebhook['event_types']>

interface CreateOptions extends RemoteOptions {
  readonly name?: string
  readonly format?: CreateWebhook['format']
  readonly events?: EventTypes
}

interface RotateOptions extends RemoteOptions {
  readonly overlap?: number
}

interface DeliveriesOptions extends RemoteOptions {
  readonly limit: number
  readonly cursor?: string
}

export function webhooksCommand(io: Io): Command {
  const command = new Command('webhooks').description('List and change webhooks, and show what they have received.')
  command.addCommand(createCommand(io))
  command.addCommand(
    outcomeCommand(io, 'list', 'list the webhooks of the customer, newest first', async ({ client }) => {
      // A customer has fewer than fit on a page.
      const page = await client.webhooks.list({ limit: 200 })
      return { page, text: page.webhooks.length === 0 ? 'There are no webhooks.' : renderTable(columns, page.webhooks) }
    }),
  )
  command.addCommand(updateCommand(io))
  command.addCommand(
    outcomeCommand(
      io,
      'pause',
      'send no messages until the webhook is resumed; they wait',
      async ({ client }, [id = '']) => {
        const page = await client.webhooks.update(id, { paused: true })
        return { page, text: `Paused ${page.webhook.id}.` }
      },
    ).argument(...idArgument),
  )
  command.addCommand(
    outcomeCommand(
      io,
      'resume',
      'send messages again, also after the endpoint answered 410',
      async ({ client }, [id = '']) => {
        const page = await client.webhooks.update(id, { paused: false })
        return { page, text: `Resumed ${page.webhook.id}.` }
      },
    ).argument(...idArgument),
  )
  command.addCommand(rotateCommand(io))
  command.addCommand(
    outcomeCommand(io, 'test', 'send a test message', async ({ client }, [id = '']) => {
      const page = await client.webhooks.test(id)
      return {
        page,
        text: `${page.delivery.id} will be sent. See ${commandLine(`webhooks deliveries ${safeLine(id)}`)}`,
      }
    }).argument(...idArgument),
  )
  command.addCommand(
    outcomeCommand(io, 'delete', 'delete a webhook and its deliveries', async ({ client }, [id = '']) => {
      const page = await client.webhooks.delete(id)
      return { page, text: `Deleted ${page.id}.` }
    }).argument(...idArgument),
  )
  command.addCommand(deliveriesCommand(io))
  command.addCommand(
    outcomeCommand(io, 'redeliver', 'send a message again', async ({ client }, [id = '', deliveryId = '']) => {
      const page = await client.webhooks.redeliver(id, deliveryId)
      return { page, text: `${page.delivery.id} will be sent again.` }
    })
      .argument(...idArgument)
      .argument('<delivery id>', 'the delivery'),
  )
  command.addCommand(listenCommand(io))
  return withExamples(command, [
    ['runwright webhooks create https://app.example.com/hooks', 'be told how runs end, and that they wait'],
    ['runwright webhooks listen', 'print the messages that this service sends, while you develop'],
  ])
}

const idArgument = ['<webhook id>', 'the webhook'] as const

export const eventsOption = [
  '--events <types>',
  'comma-separated list of event types (default: how runs end, and that they wait)',
  (text: string) => text.split(',') as EventTypes,
] as const

function createCommand(io: Io): Command {
  return remoteCommand(
    'create',
    'create a webhook and print its secret, which is shown only once; changes nothing if it is there already',
  )
    .argument('<endpoint>', 'the URL that receives the messages')
    .option('--name <name>', 'which webhook this is; needed for a second one with this URL')
    .option(...eventsOption)
    .addOption(new Option('--format <format>', 'how messages look (default: standard)').choices(postFormats))
    .option(...jsonOption)
    .action((endpoint: string, { name, events, format, json, url }: CreateOptions) =>
      withService(io, { url }, async ({ client }) => {
        const created = await client.webhooks.create({
          url: endpoint,
          ...(name !== undefined && { name }),
          ...(format && { format }),
          ...(events && { event_types: events }),
        })
        if (created.secret === null) adviseOnSecret(io, created.webhook)
        if (json) return printJson(io, created)
        if (created.secret === null) return printText(io, renderTable(columns, [created.webhook]))
        printText(io, `${renderTable(columns, [created.webhook])}\n\nSecret: ${created.secret}`)
      }),
    )
}

function adviseOnSecret(io: Io, { id }: Webhook): void {
  const rotate = commandLine(`webhooks rotate ${id}`)
  io.stderr.write(`It exists already. Its secret was shown when it was created; for a new one: ${rotate}\n`)
}

interface UpdateOptions extends Omit<CreateOptions, 'format'> {
  readonly endpoint?: string
}

function updateCommand(io: Io): Command {
  return remoteCommand('update', 'change the name, the endpoint or the events of a webhook')
    .argument(...idArgument)
    .option('--name <name>', 'which webhook this is; empty: it has none')
    .option('--endpoint <url>', 'the URL that receives the messages')
    .option('--events <types>', 'comma-separated list of event types', eventsOption[2])
    .option(...jsonOption)
    .action((id: string, { name, endpoint, events, json, url }: UpdateOptions) =>
      withService(io, { url }, async ({ client }) => {
        const changed = await client.webhooks.update(id, {
          ...(name !== undefined && { name: name === '' ? null : name }),
          ...(endpoint !== undefined && { url: endpoint }),
          ...(events && { event_types: events }),
        })
        if (json) return printJson(io, changed)
        printText(io, renderTable(columns, [changed.webhook]))
      }),
    )
}

function rotateCommand(io: Io): Command {
  return remoteCommand('rotate', 'give a webhook a new secret, which is shown only once')
    .argument(...idArgument)
    .option(
      '--overlap <seconds>',
      'how long messages are signed with the old secret, too; 0 ends all old ones (default: 86400)',
      wholeNumber,
    )
    .option(...jsonOption)
    .action((id: string, { overlap, json, url }: RotateOptions) =>
      withService(io, { url }, async ({ client }) => {
        const rotated = await client.webhooks.rotate(id, overlap === undefined ? {} : { overlap_seconds: overlap })
        if (json) return printJson(io, rotated)
        printText(io, `Secret: ${rotated.secret}`)
      }),
    )
}

function deliveriesCommand(io: Io): Command {
  return remoteCommand('deliveries', 'list the deliveries of a webhook, newest first')
    .argument(...idArgument)
    .option('--limit <number>', 'how many, up to 200', wholeNumber, 50)
    .option('--cursor <cursor>', 'continue after the previous page')
    .option(...jsonOption)
    .action((id: string, { limit, cursor, json, url }: DeliveriesOptions) =>
      withService(io, { url }, async ({ client }) => {
        const page = await client.webhooks.deliveries(id, { limit, ...(cursor && { cursor }) })
        if (json) return printJson(io, page)
        const { deliveries } = page
        printText(io, deliveries.length === 0 ? 'Nothing was sent yet.' : renderTable(deliveryColumns, deliveries))
        if (page.next_cursor) io.stderr.write(`More: add --cursor ${page.next_cursor}\n`)
      }),
    )
}

function stateOf({ disabled_at, paused, paused_until }: Webhook): string {
  if (disabled_at) return 'disabled'
  if (paused) return 'paused'
  return paused_until ? `failing, paused until ${paused_until}` : 'enabled'
}

const columns: readonly Column<Webhook>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'NAME', cell: ({ name }) => name && shortLine(name, 40) },
  { title: 'STATE', cell: stateOf },
  { title: 'FORMAT', cell: ({ format }) => format },
  { title: 'URL', cell: ({ url }) => shortLine(url, 80) },
  { title: 'EVENTS', cell: ({ event_types }) => event_types.join(',') },
]

const deliveryColumns: readonly Column<Delivery>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'TYPE', cell: ({ type }) => type },
  { title: 'STATE', cell: ({ state }) => state },
  { title: 'ATTEMPTS', cell: ({ attempts }) => attempts },
  { title: 'STATUS', cell: ({ response_status }) => response_status },
  { title: 'NEXT ATTEMPT', cell: ({ next_attempt_at }) => next_attempt_at },
  { title: 'ERROR', cell: ({ error }) => error && shortLine(error, 60) },
]
