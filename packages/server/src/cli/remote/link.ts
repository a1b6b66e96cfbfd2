// `runwright link <run id> --person …`: a link with which one person, or a role, decides about what a run asks now.
import { maxLinkSeconds } from '@runwright/contract'
import type { Command } from 'commander'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { UsageError } from '../output/refusal.ts'
import {
  jsonOption,
  type RemoteOptions,
  remoteCommand,
  runIdArgument,
  wholeNumber,
  withService,
} from './remote-command.ts'

interface Options extends RemoteOptions {
  readonly person?: string
  readonly role?: string
  readonly awaitSeq?: number
  readonly expiresIn: number
}

export function linkCommand(io: Io): Command {
  const command = remoteCommand(
    'link',
    'Make a link with which one person, or who has a role, decides about what a run asks, without signing in. Who has ' +
      'the link can decide in their name: send it to them only.',
  )
    .argument(...runIdArgument)
    .option('--person <name>', 'who decides: the person of an API key that may signal')
    .option('--role <role>', 'in place of a person: one of the roles that the question asks for')
    .option('--await-seq <seq>', 'the number of the wait that it is for; left out: what the run asks now', wholeNumber)
    .option('--expires-in <seconds>', `how long it is valid, up to ${maxLinkSeconds}`, wholeNumber, 86_400)
    .option(...jsonOption)
    .action((id: string, { person, role, awaitSeq, expiresIn, json, url }: Options) =>
      withService(io, { url }, async ({ client }) => {
        if ((person === undefined) === (role === undefined)) throw new UsageError('Use either --person or --role.')
        const await_seq = awaitSeq ?? (await client.runs.get(id, { include: ['awaiting_input'] })).awaiting_input?.seq
        if (await_seq === undefined) throw new UsageError('The run does not await input.')
        const link = await client.runs.createDecisionLink(id, {
          await_seq,
          ...(person !== undefined ? { person } : { role: role ?? '' }),
          expires_in: expiresIn,
        })
        if (json) return printJson(io, link)
        printText(io, link.url)
        io.stderr.write(`Valid until ${link.expires_at}.\n`)
      }),
    )
  return withExamples(command, [
    ['runwright link run_01m7f8njhrfe3b4wzz6kye37bb --person ada@example.com', 'Ada decides with it, for a day'],
    ['runwright link run_01m7f8njhrfe3b4wzz6kye37bb --role finance', 'for a mailbox that finance reads'],
  ])
}
