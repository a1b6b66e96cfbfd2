// The tools of a world as the service knows them. A call goes to the world of its trial: each trial has a customer of
// its own, so the customer of a call tells which one.
import type { Tool } from '../../tools/port/tool.ts'
import type { CreateWorld, World } from './world.ts'

export class TrialWorlds {
  readonly #create: CreateWorld
  readonly #byCustomer = new Map<string, World>()

  constructor(create: CreateWorld) {
    this.#create = create
  }

  async open(customerId: string): Promise<World> {
    const world = await this.#create()
    this.#byCustomer.set(customerId, world)
    return world
  }

  close(customerId: string): void {
    this.#byCustomer.delete(customerId)
  }

  /** Names, descriptions and inputs come from a world that no trial uses. */
  async tools(): Promise<readonly Tool[]> {
    const { tools } = await this.#create()
    return tools.map((tool) => ({
      ...tool,
      run: (input, context) => this.#find(context.customerId, tool.name).run(input, context),
    }))
  }

  #find(customerId: string, name: string): Tool {
    const tool = this.#byCustomer.get(customerId)?.tools.find((candidate) => candidate.name === name)
    if (tool === undefined) throw new Error('The trial of this call has ended.')
    return tool
  }
}
