// The episode of a successful run, built from what its execution knows. It takes no query and no model call, because
// every run writes one.
import { type EpisodeFacts, episodeOf, maxEpisodeSteps } from '../../domain/run/episode.ts'
import type { DoneEntry } from '../../domain/run/journal.ts'
import type { RunProgress } from '../../domain/run/progress.ts'
import { toWireId } from '../../runtime/ids.ts'
import type { NewMemory } from '../../store/run-log/run-change.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import type { TaskSucceeded } from './task-end.ts'

/**
 * `last` is the step that just ended, if it is not in the journal yet. Yields where the work can be interrupted: to
 * search large results for secrets takes long.
 */
export function* runEpisode(context: ExecutionContext, last?: TaskSucceeded): Generator<void, NewMemory> {
  const { run, ledger, inputs } = context
  // Scrub before cutting: half a secret would not be recognized.
  function* show<Value>(value: Value): Generator<void, Value> {
    return run.secrets ? yield* run.secrets.show(value) : value
  }
  const goal = ledger.progress.plan?.goal
  const finished = ledger.progress.finished.filter(({ kind }) => kind !== 'planner')
  const steps = last ? [...finished, { stepId: last.task.stepId, content: last.content }] : finished
  yield
  const input = yield* show(inputs.shown.input)
  yield
  const shownSteps: EpisodeFacts['steps'][number][] = []
  // Of the others, only their number counts.
  for (const [index, { stepId, content }] of steps.entries()) {
    const isShown = index >= steps.length - maxEpisodeSteps
    shownSteps.push({ stepId, content: isShown ? yield* show(content) : '' })
    if (isShown) yield
  }
  const tools: string[] = []
  for (const tool of toolsOf(ledger.progress, last)) tools.push(yield* show(tool))
  const episode = episodeOf({
    runId: toWireId('run', run.id),
    goal: goal === undefined ? undefined : yield* show(goal),
    input,
    steps: shownSteps,
    tools,
  })
  // The id of the run, so that the episode of a run is found without an index.
  return { id: run.id, kind: 'episode', harness: true, ...episode }
}

function toolsOf({ plan, turns, finished }: RunProgress, last: TaskSucceeded | undefined): string[] {
  const asked = [...turns.replies].flatMap(({ calls }) => calls.map(({ name }) => name))
  const done = new Set([...finished.map(({ stepId }: DoneEntry) => stepId), last?.task.stepId])
  const planned = plan?.steps.flatMap((step) => (step.kind === 'tool' && done.has(step.id) ? [step.tool] : [])) ?? []
  return [...asked, ...planned]
}
