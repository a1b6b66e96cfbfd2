// The request that `runwright run` sends, from its arguments and files.
import type { CreateRunRequest } from '@runwright/client'
import type { RunClass } from '@runwright/contract'
import { commandLine } from '../output/command-line.ts'
import { UsageError } from '../output/refusal.ts'

export interface RunOptions {
  readonly input?: string
  readonly plan?: string
  readonly agent?: string
  readonly model?: string
  readonly class?: RunClass
  readonly workspace?: string
  readonly subject?: string
  readonly title?: string
  readonly metadata?: Readonly<Record<string, string>>
  readonly example?: string
}

/** What the files contain. */
export interface RunSources {
  readonly goal: string | undefined
  readonly input: Record<string, unknown> | undefined
  readonly plan: Record<string, unknown> | undefined
  readonly example: CreateRunRequest | undefined
}

export function runRequest({ goal, input, plan, example }: RunSources, options: RunOptions): CreateRunRequest {
  if (example && (goal !== undefined || input || plan))
    throw new UsageError('--example has its own goal, input and plan: leave them out.')
  if (goal !== undefined && input && 'goal' in input)
    throw new UsageError('The goal is given twice: as an argument and as "goal" of --input. Leave one out.')
  if (!example && goal === undefined && !input && !plan)
    throw new UsageError(`Say what the run should do, such as: ${commandLine('run "Compare these two offers"')}`)
  return {
    ...example,
    input: example?.input ?? { ...input, ...(goal !== undefined && { goal }) },
    metadata: { ...example?.metadata, ...metadataOf(options) },
    ...labelsOf(options),
    // The service checks the plan and names the step that is wrong.
    ...(plan && { plan: plan as unknown as NonNullable<CreateRunRequest['plan']> }),
  }
}

const metadataOf = ({ metadata, agent, model, title }: RunOptions): Record<string, unknown> => ({
  ...metadata,
  ...(agent !== undefined && { agent }),
  ...(model !== undefined && { model }),
  ...(title !== undefined && { title }),
})

const labelsOf = (options: RunOptions) => ({
  ...(options.class !== undefined && { run_class: options.class }),
  ...(options.workspace !== undefined && { workspace_id: options.workspace }),
  ...(options.subject !== undefined && { subject_id: options.subject }),
})

/** `--metadata key=value`, any number of times. */
export function addMetadata(text: string, previous: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [name = '', ...value] = text.split('=')
  if (name === '' || value.length === 0) throw new UsageError('--metadata must be <key>=<value>.')
  return { ...previous, [name]: value.join('=') }
}
