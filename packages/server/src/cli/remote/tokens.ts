// `runwright tokens create`: a short-lived token for a browser or an end user.
import type { CreateToken } from '@runwright/client'
import { maxTokenSeconds, tokenScopes } from '@runwright/contract'
import { Command } from 'commander'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import {
  jsonOption,
  type RemoteOptions,
  remoteCommand,
  runIdArgument,
  wholeNumber,
  withService,
} from './remote-command.ts'

interface CreateOptions extends RemoteOptions {
  readonly scopes: CreateToken['scopes']
  readonly subject?: string
  readonly workspace?: string
  readonly run?: string
  readonly origin?: string
  readonly expiresIn: number
}

export function tokensCommand(io: Io): Command {
  const command = new Command('tokens').description('Make short-lived tokens for browsers and end users.')
  command.addCommand(createCommand(io))
  return withExamples(command, [
    ['runwright tokens create --subject user-7', 'it sees the runs of this subject for 15 minutes'],
    [
      'runwright tokens create --subject user-7 --scopes runs:read,runs:write --origin https://app.example.com',
      'it also creates runs, and works on pages of this origin only',
    ],
  ])
}

function createCommand(io: Io): Command {
  return remoteCommand('create', 'make a token and print it; nothing is stored')
    .option(
      '--scopes <list>',
      `comma-separated list of ${tokenScopes.join(', ')}`,
      (text: string) => text.split(',') as CreateToken['scopes'],
      ['runs:read'],
    )
    .option('--subject <id>', 'it sees and creates only the runs of this subject')
    .option('--workspace <id>', 'it sees and creates only the runs of this workspace')
    .option('--run <run id>', 'it sees only this run', runIdArgument[2])
    .option('--origin <origin>', 'it works only on web pages of this origin')
    .option('--expires-in <seconds>', `how long it is valid, up to ${maxTokenSeconds}`, wholeNumber, 900)
    .option(...jsonOption)
    .action(({ scopes, subject, workspace, run, origin, expiresIn, json, url }: CreateOptions) =>
      withService(io, { url }, async ({ client }) => {
        const created = await client.tokens.create({
          scopes,
          expires_in: expiresIn,
          ...(subject !== undefined && { subject_id: subject }),
          ...(workspace !== undefined && { workspace_id: workspace }),
          ...(run !== undefined && { run_id: run }),
          ...(origin !== undefined && { origin }),
        })
        if (json) return printJson(io, created)
        printText(io, created.token)
        io.stderr.write(`Valid until ${created.expires_at}.\n`)
      }),
    )
}
