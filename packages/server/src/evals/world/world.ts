// A world: tools and the state that they change, made by a module of the operator.
import { pathToFileURL } from 'node:url'
import { builtInTools, describeIssue } from '@runwright/contract'
import { z } from 'zod'
import { definitionSchema, type ToolDefinition } from '../../tools/own/definition.ts'
import { EvaluationError } from '../cases/evaluation-error.ts'

export interface World {
  readonly tools: readonly ToolDefinition[]
  /** A copy of the state as it is now, as JSON. */
  snapshot(): unknown
}

/** Makes a world in its first state. */
export type CreateWorld = () => Promise<World>

const worldSchema = z.strictObject({
  tools: z.array(definitionSchema),
  state: z.custom((value) => typeof value === 'object' && value !== null, { error: 'must be an object' }),
})

/** Throws an EvaluationError if the module does not load or does not export a world. */
export async function loadWorld(path: string): Promise<CreateWorld> {
  const create = createOf(await importModule(path))
  if (create === undefined) throw new EvaluationError(`${path}: the default export must be { create() }.`)
  return async () => readWorld(path, await call(path, create))
}

async function importModule(path: string): Promise<{ readonly default?: unknown }> {
  try {
    return await import(/* @vite-ignore */ pathToFileURL(path).href)
  } catch (error) {
    throw new EvaluationError(`${path}: the module does not load: ${messageOf(error)}`)
  }
}

function createOf({ default: exported }: { readonly default?: unknown }): (() => unknown) | undefined {
  const { create } = (exported ?? {}) as { create?: unknown }
  return typeof create === 'function' ? () => create.call(exported) : undefined
}

async function call(path: string, create: () => unknown): Promise<unknown> {
  try {
    return await create()
  } catch (error) {
    throw new EvaluationError(`${path}: create() failed: ${messageOf(error)}`)
  }
}

function readWorld(path: string, made: unknown): World {
  const checked = worldSchema.safeParse(made)
  if (!checked.success) {
    const problem = describeIssue({ error: checked.error, value: made, at: ['world'] })
    throw new EvaluationError(`${path}: ${problem}.`)
  }
  // As it was made, not as zod copied it: tools may use `this`, and `state` may be a getter.
  const world = made as { readonly tools: readonly ToolDefinition[]; readonly state: unknown }
  for (const { name } of world.tools) refuseBuiltInName(path, name)
  return { tools: world.tools, snapshot: () => JSON.parse(JSON.stringify(world.state)) }
}

function refuseBuiltInName(path: string, name: string): void {
  if ((builtInTools as readonly string[]).includes(name))
    throw new EvaluationError(`${path}: the name ${name} belongs to a built-in tool; choose another one.`)
}

export const messageOf = (error: unknown): string =>
  String(error instanceof Error ? error.message : error).split('\n')[0] ?? ''
