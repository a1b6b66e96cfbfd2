// `runwright replay <run id>`: executes a run that has ended once more, without models, tools or writes, and shows the
// first difference to what was recorded.
import { Command } from 'commander'
import { AgentSets } from '../../agents/definitions/agent-sets.ts'
import { defaultProviderRetry } from '../../engine/context/agent-limits.ts'
import { canReplay, type Replayed, type ReplayParts, replayRun } from '../../engine/replay/replay-run.ts'
import { AgentMemory } from '../../memory/agent-memory.ts'
import { OfflineEmbedder } from '../../memory/embedders/offline-embedder.ts'
import { windowOf } from '../../models/choose-models.ts'
import { readProviders } from '../../models/config/read-providers.ts'
import { fromWireId } from '../../runtime/ids.ts'
import { createLogger } from '../../runtime/logger.ts'
import { openSchemaLanes } from '../../runtime/schemas/schema-lanes.ts'
import { readSettings, type Settings } from '../../runtime/settings/settings.ts'
import type { Database } from '../../store/postgres/database.ts'
import { type FinishedRun, findFinishedRun } from '../../store/turns/finished-run.ts'
import { builtInTools } from '../../tools/built-in/built-in-tools.ts'
import { memorySave } from '../../tools/built-in/memory-save.ts'
import { memorySearch } from '../../tools/built-in/memory-search.ts'
import { loadToolsFolder } from '../../tools/own/load-folder.ts'
import { loadPolicy } from '../../tools/policy/load-policy.ts'
import type { Tool } from '../../tools/port/tool.ts'
import type { OpenStore, Store } from '../database/open-store.ts'
import { commandLine } from '../output/command-line.ts'
import { Refusal } from '../output/refusal.ts'
import { toJson } from '../output/to-json.ts'

interface Options {
  readonly json?: true
}

const exitCodes = { equal: 0, different: 1, refused: 2 } as const

type ReplayStore = Pick<Store, 'database' | 'sealing'>

/** `tools` take the place of the operator's own ones in tests. */
export function replayCommand(open: OpenStore<ReplayStore>, env = process.env, tools?: readonly Tool[]): Command {
  return (
    new Command('replay')
      .description('execute a run that has ended again, without models, tools or writes, and show the first difference')
      // Checked here: a wrong use has an exit code of its own.
      .argument('[run id]', 'a run that has ended, such as run_01m7f8njhrfe3b4wzz6kye37bb')
      .allowExcessArguments()
      .usage('[--json] <run id>')
      .option('--json', 'print the result as JSON')
      .addHelpText(
        'after',
        '\nExits with 0 if there is no difference, 1 if there is one, and 2 if the run cannot be replayed.',
      )
      .action(async (id: string | undefined, { json }: Options, command: Command) => {
        try {
          if (id === undefined || command.args.length > 1)
            throw new Refusal(`Usage: ${commandLine('replay')} ${command.usage()}`)
          const replayed = await open(async (store) => replay(store, id, { env, tools }))
          console.log(json ? toJson(wireForm(id, replayed)) : describe(replayed))
          process.exitCode = replayed.difference ? exitCodes.different : exitCodes.equal
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          console.error(error.message)
          process.exitCode = exitCodes.refused
        }
      })
  )
}

interface Surroundings {
  readonly env: NodeJS.ProcessEnv
  readonly tools: readonly Tool[] | undefined
}

async function replay({ database, sealing }: ReplayStore, id: string, around: Surroundings): Promise<Replayed> {
  const uuid = fromWireId('run', id)
  const found = uuid === undefined ? undefined : await findFinishedRun(database, sealing, uuid)
  return replayRun(checked(id, found), await partsOf(database, around))
}

function checked(id: string, found: FinishedRun | 'not ended' | undefined): FinishedRun {
  if (found === undefined) throw new Refusal(`There is no run ${id}.`)
  if (found === 'not ended')
    throw new Refusal(`The run ${id} has not ended. Only a run that has ended can be replayed.`)
  if (!canReplay(found)) throw new Refusal(`The calls of the run ${id} to models were not recorded.`)
  return found
}

async function partsOf(database: Database, { env, tools }: Surroundings): Promise<ReplayParts> {
  const settings = readSettings(env)
  const {
    providerRetrySeconds: _,
    providerSilenceSeconds: __,
    agentsDir: ___,
    skillsDir: ____,
    ...limits
  } = settings.agents
  const logger = createLogger({ level: 'silent' })
  const providers = readProviders(settings.models.providersPath)
  const memory = new AgentMemory({ database, embedder: new OfflineEmbedder(), logger })
  const schemas = openSchemaLanes().runs
  const own = tools ?? [...builtInTools(), ...(await loadToolsFolder(settings.tools.toolsDir, schemas))]
  return {
    agents: new AgentSets({ database, logger }),
    windowOf: (model) => windowOf(model, providers),
    limits,
    logger,
    schemas,
    providerRetry: defaultProviderRetry,
    policy: await loadPolicy(settings.tools.policyPath, schemas),
    tools: [...own, memorySave(memory), memorySearch(memory)],
    ...timesOf(settings),
  }
}

const timesOf = ({ engine }: Settings): Pick<ReplayParts, 'recovery' | 'stepTimeoutSeconds'> => ({
  stepTimeoutSeconds: engine.stepTimeoutSeconds,
  recovery: { delaySeconds: engine.recoveryDelaySeconds, maxRecoveries: engine.maxRecoveries },
})

function wireForm(id: string, { difference, calls, events, stopped }: Replayed) {
  return {
    run_id: id,
    equal: difference === undefined,
    calls,
    events,
    stopped: stopped ?? null,
    difference: difference ?? null,
  }
}

function describe({ difference, calls, events, stopped }: Replayed): string {
  if (!difference) {
    const until = stopped === undefined ? '' : ` until ${stopped}`
    return `No difference: ${counted(calls, 'call')}, ${counted(events, 'decision')}${until}.`
  }
  if (difference.kind === 'decision') {
    const { recorded = '(nothing)', now = '(nothing)' } = difference
    return ['The run now decides differently.', `- ${recorded}`, `+ ${now}`].join('\n')
  }
  const { callKey, where, recorded, now, texts } = difference
  const shown = texts ? diffLines(texts.recorded, texts.now) : `- ${recorded}\n+ ${now}`
  return [`After ${counted(calls, 'equal call')}, the call ${callKey} differs: ${where}.`, shown].join('\n')
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

const around = 2

/**
 * Shows where two texts differ, as a unified diff does: the lines that differ, with a few lines around them. The texts
 * have one block that differs: from the first different line to the last.
 */
function diffLines(before: string, now: string): string {
  const [a, b] = [before.split('\n'), now.split('\n')]
  const start = countSame(a, b)
  const end = countSame(a.slice(start).reverse(), b.slice(start).reverse())
  const marked = (lines: readonly string[], mark: string) => lines.map((line) => `${mark}${line}`)
  return [
    `@@ line ${start + 1} @@`,
    ...marked(a.slice(Math.max(0, start - around), start), ' '),
    ...marked(a.slice(start, a.length - end), '-'),
    ...marked(b.slice(start, b.length - end), '+'),
    ...marked(a.slice(a.length - end, a.length - end + around), ' '),
  ].join('\n')
}

function countSame(a: readonly string[], b: readonly string[]): number {
  let count = 0
  while (count < a.length && count < b.length && a[count] === b[count]) count += 1
  return count
}
