// `runwright doctor`: checks that what the settings name works. It needs no database.
import { Command } from 'commander'
import { readProviders } from '../models/config/read-providers.ts'
import { type CheckedModel, checkModels } from '../models/doctor/check-models.ts'
import { readSettings } from '../runtime/settings/settings.ts'
import { type Column, renderTable } from './output/print-table.ts'
import { toJson } from './output/to-json.ts'

interface Options {
  readonly json?: true
}

/** For one call: a local server may have to load the model first. */
const timeoutMs = 90_000

export function doctorCommand(env: NodeJS.ProcessEnv): Command {
  return new Command('doctor')
    .description('call every configured model and show what works; exit with code 1 if the model of a role does not')
    .option('--json', 'print JSON')
    .action(async ({ json }: Options) => {
      const models = await examine(env)
      const isWell = models.every(({ works, usedBy }) => works || !usedBy.some(isRole))
      console.log(json ? toJson({ ok: isWell, models: models.map(toWire) }) : render(models))
      process.exitCode = isWell ? 0 : 1
    })
}

async function examine(env: NodeJS.ProcessEnv): Promise<readonly CheckedModel[]> {
  const { models, agents } = readSettings(env)
  return checkModels({
    env,
    settings: models,
    providers: readProviders(models.providersPath),
    silenceMs: Math.min(agents.providerSilenceSeconds * 1_000, timeoutMs),
    timeoutMs,
  })
}

const isRole = (use: string): boolean => ['planner', 'worker', 'judge'].includes(use)

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

const render = (models: readonly CheckedModel[]): string =>
  [renderTable(columns, models), ...models.flatMap(explainOne)].join('\n')

function explainOne({ model, problem, remarks, ...features }: CheckedModel): string[] {
  const lines = [
    ...(problem ? [problem.message, problem.advice] : []),
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

const toWire = ({ problem, ...checked }: CheckedModel) => ({
  model: checked.model,
  used_by: checked.usedBy,
  works: checked.works,
  streaming: checked.streaming,
  tools: checked.tools,
  structured_output: checked.structuredOutput,
  usage: checked.usage,
  first_token_ms: checked.firstTokenMs ?? null,
  duration_ms: checked.durationMs ?? null,
  problem: problem ? { reason_code: problem.reasonCode, message: problem.message, advice: problem.advice } : null,
  remarks: checked.remarks,
})
