// The worlds of one module, one for each trial. The service knows their tools once: a call goes to the world of its
// trial. Each trial has a customer of its own, so the customer of a call tells which one.
import { type ToolDefinition, toTool } from '../../tools/own/definition.ts'
import type { Tool } from '../../tools/port/tool.ts'
import { EvaluationError } from '../evaluation-error.ts'
import { type CreateWorld, loadWorld, messageOf, type World } from './world.ts'

export class Worlds {
  readonly tools: readonly Tool[]
  readonly #create: CreateWorld
  readonly #byCustomer = new Map<string, World>()

  /** Throws an EvaluationError if the module is wrong. */
  static async load(path: string): Promise<Worlds> {
    const create = await loadWorld(path)
    return new Worlds(path, { create, tools: (await create()).tools })
  }

  // To compile the input schemas is expensive, so it is done once, and not for each world.
  private constructor(path: string, made: { readonly create: CreateWorld; readonly tools: World['tools'] }) {
    this.#create = made.create
    this.tools = made.tools.map((definition) => compile(path, this.#dispatch(definition)))
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

function compile(path: string, definition: ToolDefinition): Tool {
  try {
    return toTool(definition)
  } catch (error) {
    throw new EvaluationError(`${path}: the input schema of ${definition.name} is invalid: ${messageOf(error)}`)
  }
}
