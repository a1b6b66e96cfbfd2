// The worlds of one module, one for each trial. The service knows their tools once: a call goes to the world of its
// trial. Each trial has a customer of its own, so the customer of a call tells which one.
import type { SchemaThreads } from '../../runtime/schemas/schema-threads.ts'
import { type ToolDefinition, toTool } from '../../tools/own/definition.ts'
import type { Tool } from '../../tools/port/tool.ts'
import { EvaluationError } from '../cases/evaluation-error.ts'
import { type CreateWorld, loadWorld, messageOf, type World } from './world.ts'

export class Worlds {
  readonly #create: CreateWorld
  readonly #byCustomer = new Map<string, World>()
  #tools: readonly Tool[] = []

  /** Throws an EvaluationError if the module is wrong. */
  static async load(path: string, schemas: SchemaThreads): Promise<Worlds> {
    const create = await loadWorld(path)
    const worlds = new Worlds(create)
    // To compile the input schemas is expensive, so it is done once, and not for each world.
    const { tools } = await create()
    worlds.#tools = await Promise.all(tools.map((tool) => compile(path, worlds.#dispatch(tool), schemas)))
    return worlds
  }

  private constructor(create: CreateWorld) {
    this.#create = create
  }

  get tools(): readonly Tool[] {
    return this.#tools
  }

  async open(customerId: string): Promise<World> {
    const world = await this.#create()
    this.#byCustomer.set(customerId, world)
    return world
  }

  close(customerId: string): void {
    this.#byCustomer.delete(customerId)
  }

  #dispatch(definition: ToolDefinition): ToolDefinition {
    return {
      ...definition,
      run: (input, context) => this.#find(context.customerId, definition.name).run(input, context),
    }
  }

  #find(customerId: string, name: string): ToolDefinition {
    const tool = this.#byCustomer.get(customerId)?.tools.find((candidate) => candidate.name === name)
    if (tool === undefined) throw new Error('The trial of this call has ended.')
    return tool
  }
}

async function compile(path: string, definition: ToolDefinition, schemas: SchemaThreads): Promise<Tool> {
  try {
    return await toTool(definition, schemas)
  } catch (error) {
    throw new EvaluationError(`${path}: the input schema of ${definition.name} is invalid: ${messageOf(error)}`)
  }
}
