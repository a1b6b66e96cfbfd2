// The parts of one run that `include` adds. A part is null if the run has none.
import type { AwaitingInput, RunCreator, RunInclude, RunInput, RunSignal } from '@runwright/contract'
import { runSliced } from '../../../runtime/time-slices.ts'
import { findCreator, findInput, findPlan } from '../../../store/runs/run-details.ts'
import { findRunAndWait, type WaitRecord } from '../../../store/runs/run-parts.ts'
import { findPhase, findRun, type RunRecord } from '../../../store/runs/runs.ts'
import { findSignals } from '../../../store/runs/signals.ts'
import { findSecretContent } from '../../../store/sealed/inputs.ts'
import { signalViews } from './answer-views.ts'
import { isRunPart, type PartSources, type RunPart, readParts, waitViews } from './run-parts.ts'

interface RunKey {
  readonly customerId: string
  readonly runId: string
}

export type IncludeSources = PartSources

type Reader = (sources: IncludeSources, run: RunKey) => Promise<unknown>

/** The parts that lists do not have. */
const readers: Readonly<Record<Exclude<RunInclude, RunPart>, Reader>> = {
  input: async ({ database }, { customerId, runId }): Promise<RunInput | null> => {
    const sent = await findInput(database, customerId, runId)
    if (!sent) return null
    const { input, metadata, attachmentRefs } = sent
    return { input, metadata, attachment_refs: [...attachmentRefs] }
  },
  created_by: async ({ database }, { customerId, runId }): Promise<RunCreator | null> => {
    const creator = await findCreator(database, customerId, runId)
    return creator && { key_id: creator.keyId, key_name: creator.keyName, via: creator.via }
  },
  signals: readSignals,
  plan: async ({ database }, { customerId, runId }) => {
    const plan = await findPlan(database, customerId, runId)
    return plan && JSON.parse(plan)
  },
}

interface RunToComplete {
  readonly customerId: string
  readonly run: RunRecord
  /** Read together with the run. */
  readonly wait: WaitRecord | undefined
}

/** These belong to what the run does now. Others stay as they are, or are read together with the run. */
const followsPhase: ReadonlySet<RunInclude> = new Set([
  'agent',
  'failure',
  'output',
  'plan',
  'signals',
  'steps',
  'usage',
])

/** A run that goes on while its parts are read is read again, but not for ever. */
const mostReads = 5

interface CompleteRun {
  readonly run: RunRecord
  readonly parts: Readonly<Record<string, unknown>>
}

/** A run with its parts, which have their own statements. All of them belong to one phase of the run. */
export async function readRun(
  sources: IncludeSources,
  { customerId, runId }: RunKey,
  includes: readonly RunInclude[],
): Promise<CompleteRun | undefined> {
  for (let reads = 1; ; reads += 1) {
    const found = await findRunFor(sources, { customerId, runId }, includes)
    if (!found) return undefined
    const parts = await includedParts(sources, { customerId, ...found }, includes)
    const { run } = found
    if (reads === mostReads || !includes.some((name) => followsPhase.has(name))) return { run, parts }
    if ((await findPhase(sources.database, customerId, runId)) === run.phase) return { run, parts }
  }
}

/** A run that is completed with what it waits for is read together with that. */
async function findRunFor(
  { database }: IncludeSources,
  { customerId, runId }: RunKey,
  includes: readonly RunInclude[],
): Promise<Omit<RunToComplete, 'customerId'> | undefined> {
  if (includes.includes('awaiting_input')) return findRunAndWait(database, customerId, runId)
  const run = await findRun(database, customerId, runId)
  return run && { run, wait: undefined }
}

async function includedParts(
  sources: IncludeSources,
  { customerId, run, wait }: RunToComplete,
  includes: readonly RunInclude[],
): Promise<Record<string, unknown>> {
  const read = async (name: RunInclude): Promise<unknown> => {
    if (!isRunPart(name)) return readers[name](sources, { customerId, runId: run.id })
    if (name === 'awaiting_input') return readWait(sources, customerId, { run, wait })
    return (await readParts(sources, { customerId, runs: [run] }, [name]))(run.id)[name]
  }
  const parts = await Promise.all(includes.map(async (name) => [name, await read(name)] as const))
  return Object.fromEntries(parts)
}

async function readWait(
  sources: IncludeSources,
  customerId: string,
  { run, wait }: Omit<RunToComplete, 'customerId'>,
): Promise<AwaitingInput | null> {
  return (wait && (await waitViews(sources, customerId, new Map([[run.id, wait]]))).get(run.id)) ?? null
}

async function readSignals(sources: IncludeSources, { customerId, runId }: RunKey): Promise<RunSignal[]> {
  const signals = await findSignals(sources.database, customerId, runId)
  if (signals.length === 0) return []
  const content = await findSecretContent(sources, { customerId, id: runId })
  return runSliced(signalViews(signals, content?.secrets))
}
