// `runwright get <run id>`: one run with its result, its failure or what it waits for.
import type { RunDetail, RunInclude } from '@runwright/client'
import type { Command } from 'commander'
import { describeAnswer } from '../follow/answers.ts'
import { renderHowToAnswer, renderWait } from '../follow/wait-panel.ts'
import { withExamples } from '../output/help.ts'
import { type Io, isFancy } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { safeLine, safeText } from '../output/safe-text.ts'
import { type Style, styleFor } from '../output/style.ts'
import { type RemoteOptions, remoteCommand, runIdArgument, withService } from './remote-command.ts'
import { statusText } from './status-text.ts'

const include: readonly RunInclude[] = [
  'title',
  'awaiting_input',
  'input',
  'signals',
  'plan',
  'agent',
  'limits',
  'usage',
  'failure',
  'forked_from',
]

export function getCommand(io: Io): Command {
  const command = remoteCommand(
    'get',
    'Show a run: its state, what input it awaits, who has answered, its failure or its result.',
  )
    .argument(...runIdArgument)
    .option('--json', 'print JSON, with input and plan')
    .action((id: string, { json, url }: RemoteOptions) =>
      withService(io, { url }, async ({ client }) => {
        const run = await client.runs.get(id, { include })
        if (json) printJson(io, run)
        else printText(io, render(run, styleFor(isFancy(io, io.stdout))))
      }),
    )
  return withExamples(command, [
    ['runwright get run_01m7f8njhrfe3b4wzz6kye37bb', 'the state and the result of a run'],
    ['runwright get "$id" --json | jq .plan', 'its plan'],
  ])
}

type Fact = readonly [name: string, value: string | null | undefined]

function render(run: RunDetail, style: Style): string {
  const facts = factsOf(run).filter(([, value]) => value)
  return [
    ...facts.map(([name, value]) => `${style.dim(name.padEnd(10))} ${value}`),
    ...(run.awaiting_input
      ? ['', renderWait(run.awaiting_input, style), renderHowToAnswer(run.id, run.awaiting_input)]
      : []),
    ...resultOf(run),
  ].join('\n')
}

const factsOf = (run: RunDetail): readonly Fact[] => [
  ['Run', run.id],
  ['Title', run.title && safeLine(run.title)],
  ['Status', statusText(run)],
  ['Class', run.run_class],
  ['Workspace', run.workspace_id && safeLine(run.workspace_id)],
  ['Subject', run.subject_id && safeLine(run.subject_id)],
  ['Agent', run.agent?.name && safeLine(run.agent.name)],
  ['Forked', run.forked_from && `from ${run.forked_from.run_id} after ${safeLine(run.forked_from.step_id)}`],
  ['Created', run.metadata.created_at],
  ['Updated', run.metadata.updated_at],
  ['Tokens', run.usage && `${amount(run.usage.tokens)} of ${amount(run.limits?.tokens)}`],
  ['Steps', run.usage && amount(run.usage.steps)],
  ['Tool calls', run.usage && amount(run.usage.tool_calls)],
  [
    'Failure',
    run.failure && [safeLine(run.failure.reason_code), safeText(run.failure.message ?? '')].filter(Boolean).join(': '),
  ],
  ...(run.signals ?? []).map((signal): Fact => ['Answer', `${describeAnswer(signal, false)} ${signal.at}`]),
]

const amount = (value: number | undefined): string => (value === undefined ? '?' : value.toLocaleString('en'))

function resultOf({ event_payload: { value } }: RunDetail): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { content, output } = value as { content?: unknown; output?: unknown }
  return [
    '',
    ...(typeof content === 'string' ? [safeText(content)] : []),
    ...(output === null || output === undefined ? [] : [safeText(JSON.stringify(output, null, 2))]),
  ]
}
