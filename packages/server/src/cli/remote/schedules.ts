// `runwright schedules …`: cron expressions that create runs.
import type { CreateRunRequest, CreateScheduleRequest, ListedSchedule } from '@runwright/client'
import { catchUpPolicies } from '@runwright/contract'
import { Command, Option } from 'commander'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { type Column, renderTable } from '../output/print-table.ts'
import { UsageError } from '../output/refusal.ts'
import { safeJson, shortLine } from '../output/safe-text.ts'
import { toJson } from '../output/to-json.ts'
import { outcomeCommand } from './outcome-command.ts'
import { readJsonObject } from './read-json.ts'
import { jsonOption, type RemoteOptions, remoteCommand, wholeNumber, withService } from './remote-command.ts'

interface CreateOptions extends RemoteOptions {
  readonly run?: string
  readonly name?: string
  readonly timeZone?: string
  readonly catchUp?: CreateScheduleRequest['catch_up']
}

interface ListOptions extends RemoteOptions {
  readonly limit: number
  readonly cursor?: string
}

export function schedulesCommand(io: Io): Command {
  const command = new Command('schedules').description('List and change schedules: cron expressions that create runs.')
  command.addCommand(createCommand(io))
  command.addCommand(listCommand(io))
  command.addCommand(
    outcomeCommand(io, 'get', 'show a schedule and the run that it creates, as JSON', async ({ client }, [id = '']) => {
      const page = await client.schedules.get(id)
      return { page, text: safeJson(toJson(page.schedule)) }
    }).argument(...idArgument),
  )
  command.addCommand(updateCommand(io))
  command.addCommand(
    outcomeCommand(io, 'pause', 'create no runs until the schedule is resumed', async ({ client }, [id = '']) => {
      const page = await client.schedules.update(id, { paused: true })
      return { page, text: `Paused ${page.schedule.id}.` }
    }).argument(...idArgument),
  )
  command.addCommand(
    outcomeCommand(io, 'resume', 'continue with the next tick', async ({ client }, [id = '']) => {
      const page = await client.schedules.update(id, { paused: false })
      return { page, text: `Resumed ${page.schedule.id}. Its next run is at ${page.schedule.next_at}.` }
    }).argument(...idArgument),
  )
  command.addCommand(
    outcomeCommand(io, 'delete', 'delete a schedule; its runs stay', async ({ client }, [id = '']) => {
      const page = await client.schedules.delete(id)
      return { page, text: `Deleted ${page.id}.` }
    }).argument(...idArgument),
  )
  return withExamples(command, [
    [
      'runwright schedules create "0 9 * * MON-FRI" "Summarize the tickets of yesterday"',
      'on working days at 9:00 UTC',
    ],
    ['runwright schedules create "*/15 * * * *" --run run.json', 'the body of POST /v1/runs is in a file'],
  ])
}

const idArgument = ['<schedule id>', 'the schedule'] as const

function createCommand(io: Io): Command {
  return remoteCommand('create', 'create a schedule')
    .argument('<cron>', 'five fields: minute, hour, day of the month, month, day of the week')
    .argument('[goal]', 'what each run should do')
    .option('--run <file>', 'instead of a goal: a file with the body of POST /v1/runs, or - for stdin')
    .option('--name <text>', 'a name for lists')
    .option('--time-zone <name>', 'the IANA time zone of the expression (default: UTC)')
    .addOption(catchUpOption('what becomes of ticks that the service missed (default: skip)'))
    .option(...jsonOption)
    .action(async (cron: string, goal: string | undefined, options: CreateOptions) => {
      const request = await createRequest(io, { cron, goal }, options)
      await withService(io, { url: options.url }, async ({ client }) => {
        const created = await client.schedules.create(request)
        if (options.json) printJson(io, created)
        else printText(io, renderTable(columns, [created.schedule]))
      })
    })
}

async function createRequest(
  io: Io,
  { cron, goal }: { readonly cron: string; readonly goal: string | undefined },
  { run: file, name, timeZone, catchUp }: CreateOptions,
): Promise<CreateScheduleRequest> {
  if ((goal === undefined) === (file === undefined)) {
    throw new UsageError('Say what the runs should do: with a goal, or with --run <file>, not both.')
  }
  // The service checks the body and names the field that is wrong.
  const body = file === undefined ? { input: { goal } } : await readJsonObject(io, file, '--run')
  return {
    cron,
    ...(name !== undefined && { name }),
    ...(timeZone !== undefined && { time_zone: timeZone }),
    ...(catchUp !== undefined && { catch_up: catchUp }),
    run: body as unknown as CreateRunRequest,
  }
}

interface UpdateOptions extends CreateOptions {
  readonly cron?: string
}

function updateCommand(io: Io): Command {
  return remoteCommand('update', 'change the name, the times or the run of a schedule')
    .argument(...idArgument)
    .option('--name <text>', 'a name for lists')
    .option('--cron <expression>', 'five fields: minute, hour, day of the month, month, day of the week')
    .option('--time-zone <name>', 'the IANA time zone of the expression')
    .addOption(catchUpOption('what becomes of ticks that the service missed'))
    .option('--run <file>', 'a file with the body of POST /v1/runs, or - for stdin')
    .option(...jsonOption)
    .action(async (id: string, { name, cron, timeZone, catchUp, run: file, json, url }: UpdateOptions) => {
      const run = file === undefined ? undefined : await readJsonObject(io, file, '--run')
      await withService(io, { url }, async ({ client }) => {
        const changed = await client.schedules.update(id, {
          ...(name !== undefined && { name }),
          ...(cron !== undefined && { cron }),
          ...(timeZone !== undefined && { time_zone: timeZone }),
          ...(catchUp !== undefined && { catch_up: catchUp }),
          ...(run !== undefined && { run: run as unknown as CreateRunRequest }),
        })
        if (json) printJson(io, changed)
        else printText(io, renderTable(columns, [changed.schedule]))
      })
    })
}

const catchUpOption = (description: string): Option =>
  new Option('--catch-up <policy>', description).choices(catchUpPolicies)

function listCommand(io: Io): Command {
  return remoteCommand('list', 'list the schedules of the customer, newest first')
    .option('--limit <number>', 'how many, up to 200', wholeNumber, 50)
    .option('--cursor <cursor>', 'continue after the previous page')
    .option(...jsonOption)
    .action(({ limit, cursor, json, url }: ListOptions) =>
      withService(io, { url }, async ({ client }) => {
        const page = await client.schedules.list({ limit, ...(cursor && { cursor }) })
        if (json) return printJson(io, page)
        const { schedules } = page
        printText(io, schedules.length === 0 ? 'There are no schedules.' : renderTable(columns, schedules))
        if (page.next_cursor) io.stderr.write(`More: add --cursor ${page.next_cursor}\n`)
      }),
    )
}

const columns: readonly Column<ListedSchedule>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'CRON', cell: ({ cron }) => shortLine(cron, 40) },
  { title: 'TIME ZONE', cell: ({ time_zone }) => time_zone },
  { title: 'NEXT RUN', cell: ({ next_at }) => next_at ?? 'paused' },
  { title: 'LAST RUN', cell: ({ last_run_id }) => last_run_id },
  { title: 'ERROR', cell: ({ last_error }) => last_error?.reason_code ?? null },
  { title: 'NAME', cell: ({ name }) => name && shortLine(name, 40) },
]
