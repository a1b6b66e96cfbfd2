// `runwright doctor`: checks that this installation works, line by line, and calls every configured model.
import { roles } from '@runwright/contract'
import { Command } from 'commander'
import { readProviders } from '../../models/config/read-providers.ts'
import { type CheckedModel, checkModels } from '../../models/doctor/check-models.ts'
import { readSettings, type Settings } from '../../runtime/settings/settings.ts'
import { withExamples } from '../output/help.ts'
import { type Column, renderTable } from '../output/print-table.ts'
import { toJson } from '../output/to-json.ts'
import { type Check, ok, problem } from './check.ts'
import { checkDatabase } from './check-database.ts'
import { checkNode } from './check-node.ts'
import { checkPort } from './check-port.ts'
import { checkService } from './check-service.ts'
import { checkSignIn } from './check-sign-in.ts'

interface Options {
  readonly json?: true
}

interface Findings {
  readonly checks: readonly Check[]
  readonly models: readonly CheckedModel[]
}

/** For one call: a local server may have to load the model first. */
const timeoutMs = 90_000

export function doctorCommand(env: NodeJS.ProcessEnv): Command {
  const command = new Command('doctor')
    .description(
      'Check this installation: Node, settings, port, database, secrets, keys, the identity provider, ' +
        'the service, and every configured model. ' +
        'Exits with code 1 if there is a problem. Changes nothing, and calls each model a few times.',
    )
    .option('--json', 'print JSON')
    .action(async ({ json }: Options) => {
      const findings = await examineAll(env)
      const isWell = isWithoutProblem(findings)
      console.log(json ? toJson(toWire(findings, isWell)) : render(findings))
      process.exitCode = isWell ? 0 : 1
    })
  return withExamples(command, [['runwright doctor', 'before the first start, and when something does not work']])
}

/** A problem with the settings hides the rest: each check needs them. */
async function examineAll(env: NodeJS.ProcessEnv): Promise<Findings> {
  const first = checkNode()
  try {
    const settings = readSettings(env)
    // First, so that a problem with the providers file is told before slow checks.
    const models = await examine(env, settings)
    const checks = [
      first,
      ok('Settings', 'valid'),
      await checkPort(settings.http),
      ...(await checkDatabase(settings)),
      ...(await checkSignIn(settings)),
      ...(await checkService(env)),
    ]
    return { checks, models }
  } catch (error) {
    if (!(error instanceof Error && error.name === 'SettingsError')) throw error
    return { checks: [first, problem('Settings', error.message)], models: [] }
  }
}

const isWithoutProblem = ({ checks, models }: Findings): boolean =>
  checks.every(({ status }) => status !== 'problem') &&
  models.every(({ works, usedBy }) => works || !usedBy.some(isRole))

async function examine(env: NodeJS.ProcessEnv, { models, agents }: Settings): Promise<readonly CheckedModel[]> {
  return checkModels({
    env,
    settings: models,
    providers: readProviders(models.providersPath),
    silenceMs: Math.min(agents.providerSilenceSeconds * 1_000, timeoutMs),
    timeoutMs,
  })
}

const isRole = (use: string): boolean => roles.some((role) => role === use)

const columns: readonly Column<CheckedModel>[] = [
  { title: 'MODEL', cell: ({ model }) => model },
  { title: 'USED BY', cell: ({ usedBy }) => usedBy.join(', ') },
  { title: 'WORKS', cell: ({ works }) => (works ? 'yes' : 'NO') },
  { title: 'STREAMING', cell: ({ streaming }) => streaming },
  { title: 'TOOLS', cell: ({ tools }) => tools },
  { title: 'STRUCTURED', cell: ({ structuredOutput }) => structuredOutput },
  { title: 'USAGE', cell: ({ usage }) => usage },
  { title: 'FIRST TOKEN', cell: ({ firstTokenMs }) => (firstTokenMs === undefined ? null : `${firstTokenMs} ms`) },
]

const marks = { ok: 'ok     ', note: 'note   ', problem: 'PROBLEM' } as const

const render = ({ checks, models }: Findings): string =>
  [
    ...checks.flatMap(renderCheck),
    ...(models.length === 0 ? [] : ['', renderTable(columns, models), ...models.flatMap(explainOne)]),
  ].join('\n')

const renderCheck = ({ name, status, message, advice }: Check): string[] => [
  `${marks[status]}  ${name.padEnd(10)}  ${message.replaceAll('\n', `\n${indent}`)}`,
  ...(advice === undefined ? [] : [`${indent}${advice}`]),
]

const indent = ' '.repeat(21)

function explainOne({ model, problem: found, remarks, ...features }: CheckedModel): string[] {
  const lines = [
    ...(found ? [found.message, found.advice] : []),
    ...remarks,
    ...explanations.flatMap(({ feature, text }) => (features[feature] === 'no' ? [text] : [])),
  ]
  return lines.length === 0 ? [] : ['', `${model}:`, ...lines.map((line) => `  ${line}`)]
}

/** What a missing feature means for runs. */
const explanations = [
  { feature: 'streaming', text: 'The text arrives in one piece, so clients see it only at the end of a turn.' },
  { feature: 'tools', text: 'The model did not call a tool. Choose another model for work that needs tools.' },
  {
    feature: 'structuredOutput',
    text: 'The answer did not match its schema. Planner and judge need this; runs may need repair turns.',
  },
  { feature: 'usage', text: 'The provider reports no tokens. They are estimated.' },
] as const

const toWire = ({ checks, models }: Findings, isWell: boolean) => ({
  ok: isWell,
  checks: checks.map(({ name, status, message, advice }) => ({ name, status, message, advice: advice ?? null })),
  models: models.map(toWireModel),
})

const toWireModel = ({ problem: found, ...checked }: CheckedModel) => ({
  model: checked.model,
  used_by: checked.usedBy,
  works: checked.works,
  streaming: checked.streaming,
  tools: checked.tools,
  structured_output: checked.structuredOutput,
  usage: checked.usage,
  first_token_ms: checked.firstTokenMs ?? null,
  duration_ms: checked.durationMs ?? null,
  problem: found ? { reason_code: found.reasonCode, message: found.message, advice: found.advice } : null,
  remarks: checked.remarks,
})
