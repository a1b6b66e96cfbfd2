// The steps of runs, for `include=steps`.
import type { RunStep } from '@runwright/contract'
import { parsePlan } from '../../../domain/plan/plan.ts'
import type { TaskKey } from '../../../domain/run/journal.ts'
import { PlacedPlan } from '../../../domain/run/placed-plan.ts'
import { RunProgress } from '../../../domain/run/progress.ts'
import { describeSteps, type GateAnswer, type StepRecord, type StepTrace } from '../../../domain/run/steps.ts'
import type { SecretKeeper } from '../../../domain/secrets/secret-keeper.ts'
import { derivedWireId } from '../../../runtime/derived-ids.ts'
import { runSliced } from '../../../runtime/time-slices.ts'
import type { Database } from '../../../store/postgres/database.ts'
import { findFailures } from '../../../store/runs/failures.ts'
import { type EndRecord, findStepFacts, type StepFacts } from '../../../store/runs/step-facts.ts'
import { findSecretContent } from '../../../store/sealed/inputs.ts'
import type { SealingKeys } from '../../../store/sealed/sealing-keys.ts'
import { failureView } from './failure-view.ts'

interface Sources {
  readonly database: Database
  readonly keys: SealingKeys
}

/** By run id. */
export async function readSteps(
  sources: Sources,
  { customerId, ids }: { readonly customerId: string; readonly ids: readonly string[] },
): Promise<Map<string, RunStep[]>> {
  const facts = await findStepFacts(sources.database, customerId, ids)
  const failed = ids.filter((id) => facts.get(id)?.state === 'failed')
  const failures = failed.length > 0 ? await findFailures(sources.database, customerId, failed) : new Map()
  const steps = new Map<string, RunStep[]>()
  for (const [id, known] of facts) {
    const failure = failures.get(id)
    const endReason = failure ? failureView(failure).reason_code : 'cancelled'
    const secrets = await secretsOf(sources, { customerId, id }, known)
    steps.set(id, await runSliced(toViews(id, stepsOf(id, known, endReason), secrets)))
  }
  return steps
}

/** Answers are stored with placeholders for tagged values. */
async function secretsOf(
  sources: Sources,
  run: { readonly customerId: string; readonly id: string },
  { answers, entries }: StepFacts,
): Promise<SecretKeeper | undefined> {
  const mayHave = answers.some(({ payload }) => payload !== null) || entries.some(({ kind }) => kind === 'kept')
  return mayHave ? (await findSecretContent(sources, run))?.secrets : undefined
}

function* toViews(
  runId: string,
  steps: readonly StepRecord[],
  secrets: SecretKeeper | undefined,
): Generator<void, RunStep[]> {
  const views: RunStep[] = []
  for (const step of steps) {
    views.push(stepView(runId, secrets ? { ...step, output: yield* secrets.show(step.output) } : step))
  }
  return views
}

const everyTool = { has: () => true }
const accepted = { agents: { has: () => true, names: [] } }

function stepsOf(runId: string, facts: StepFacts, endReason: string): StepRecord[] {
  const readPlanners = (plan: unknown) => parsePlan(plan, everyTool, { ...accepted, literalBraces: true })
  const givenPlan = facts.plan === undefined ? undefined : parsePlan(facts.plan, everyTool, accepted)
  const progress = new RunProgress({
    givenPlan,
    startsWithPlanner: facts.firstRole === 'planner',
    attempt: facts.attempt,
    readPlan: readPlanners,
  })
  progress.restore(facts.entries, facts.answers)
  const plans = new Map(givenPlan ? [[0, new PlacedPlan(givenPlan, { generation: 0 })]] : [])
  const carried = new Map(
    facts.entries.flatMap((entry) => (entry.kind === 'carried' ? [[entry.name, new Map(entry.body.steps)]] : [])),
  )
  for (const entry of facts.entries) {
    if (entry.kind !== 'plan') continue
    const place = { generation: Number(entry.name), carried: carried.get(entry.name) }
    plans.set(place.generation, new PlacedPlan(readPlanners(entry.body), place))
  }
  return describeSteps({
    state: facts.state,
    progress,
    plans,
    traceOf: tracesOf(runId, facts),
    answerTo: (waitKey) => answerTo(facts, progress, waitKey),
    waitsSince: facts.state === 'awaiting_input' ? facts.updatedAt : unansweredSince(facts),
    goesOnSince: latest([facts.startedAt, ...facts.answers.map(({ at }) => at)]),
    endReason,
  })
}

function latest(times: readonly (Date | undefined)[]): Date | undefined {
  const known = times.filter((at) => at !== undefined)
  return known.toSorted((a, b) => a.getTime() - b.getTime()).at(-1)
}

function tracesOf(runId: string, { ends, begins }: StepFacts): (key: TaskKey) => StepTrace {
  const byTask = new Map<string, EndRecord[]>()
  for (const end of ends) byTask.set(end.taskId, [...(byTask.get(end.taskId) ?? []), end])
  return (key) => {
    const taskId = derivedWireId('task', runId, key)
    const times = [begins.get(taskId), begins.get(key)].flatMap((at) => (at ? [at.getTime()] : []))
    return {
      begunAt: times.length > 0 ? new Date(Math.min(...times)) : undefined,
      ends: (byTask.get(taskId) ?? []).map(toEnd),
    }
  }
}

const toEnd = ({ at, outcome, content, reasonCode, message }: EndRecord) => ({
  at,
  outcome,
  content,
  // The text of a step that failed says why.
  error: reasonCode === null ? undefined : { reasonCode, message: message ?? (content || null) },
})

function answerTo({ answers }: StepFacts, progress: RunProgress, waitKey: string): GateAnswer | undefined {
  const answer = answers.findLast((given) => given.waitKey === waitKey)
  if (answer) return { ...answer, isRejected: answer.action === 'reject' }
  const kept = progress.answers.to(waitKey)
  return kept && { isRejected: false, askedAt: undefined, at: undefined, payload: kept.payload }
}

/** When the last question was asked that has no answer. */
function unansweredSince({ askedAt, answers, startedAt }: StepFacts): Date | undefined {
  const after = latest([startedAt, answers.at(-1)?.at])
  return askedAt && (!after || askedAt > after) ? askedAt : undefined
}

const stepView = (runId: string, step: StepRecord): RunStep => ({
  id: step.id,
  task_id: step.kind === 'gate' ? null : derivedWireId('task', runId, step.key),
  kind: step.kind,
  state: step.state,
  attempts: step.attempts,
  started_at: step.startedAt?.toISOString() ?? null,
  ended_at: step.endedAt?.toISOString() ?? null,
  content: step.content,
  output: step.output ?? null,
  error: step.error ? { reason_code: step.error.reasonCode, message: step.error.message } : null,
})
