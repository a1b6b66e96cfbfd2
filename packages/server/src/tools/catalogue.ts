// The tools of this service by name, and how models are told of them.
import { z } from 'zod'
import type { Tool } from './tool.ts'

/** A tool as a model is told of it. */
export interface OfferedTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of its input. */
  readonly inputSchema: Readonly<Record<string, unknown>>
}

// What the providers of models accept.
const toolName = /^[A-Za-z0-9_-]{1,64}$/

export class ToolCatalogue {
  readonly names: ReadonlySet<string>
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #offers: readonly OfferedTool[]

  /** Throws when two tools have one name, a name is unfit, or an input cannot be written as JSON Schema. */
  constructor(tools: readonly Tool[]) {
    const byName = new Map<string, Tool>()
    for (const tool of tools) {
      if (!toolName.test(tool.name))
        throw new Error(`a tool's name must match ${toolName}: ${JSON.stringify(tool.name)}`)
      if (byName.has(tool.name)) throw new Error(`two tools are named "${tool.name}"`)
      byName.set(tool.name, tool)
    }
    this.#tools = byName
    this.names = new Set(byName.keys())
    this.#offers = tools.map(describeTool)
  }

  find(name: string): Tool | undefined {
    return this.#tools.get(name)
  }

  /**
   * All tools, or those named, always in the catalogue's order: a prompt that does not change can be cached. A name
   * without a tool is passed over, since a tool may be gone by the time a plan comes to use it.
   */
  offers(names?: readonly string[]): OfferedTool[] {
    if (names === undefined) return [...this.#offers]
    const asked = new Set(names)
    return this.#offers.filter(({ name }) => asked.has(name))
  }
}

// Draft 7, from before defaults and transformations: what providers understand, and what the model has to send.
function describeTool({ name, description, input }: Tool): OfferedTool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { target: 'draft-7', io: 'input' })
  return { name, description, inputSchema }
}
