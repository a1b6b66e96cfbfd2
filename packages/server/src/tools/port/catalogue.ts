// The tools of this service by name, and their descriptions for models.
import { showName } from '@runwright/contract'
import { z } from 'zod'
import type { Tool, ToolAbsence, ToolDescription, ToolSource } from './tool.ts'

/** A tool as described to a model. */
export interface ToolOffer {
  readonly name: string
  readonly description: string
  /** JSON Schema of the input. */
  readonly inputSchema: Readonly<Record<string, unknown>>
}

export type OfferedNames = readonly string[] | 'all' | undefined

// A tool of an MCP server is `server.tool`.
const toolName = /^[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_.-]{1,128})?$/

/** What executing a run needs of its tools. */
export type Tools = Pick<ToolCatalogue, 'find' | 'offers' | 'whenListed' | 'whenTried' | 'absence'>

export class ToolCatalogue {
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #sources: readonly ToolSource[]
  readonly #offers = new WeakMap<Tool, ToolOffer>()

  /** Throws when a name is invalid or used twice, or an input cannot be expressed as JSON Schema. */
  constructor(tools: readonly Tool[], sources: readonly ToolSource[] = []) {
    const byName = new Map<string, Tool>()
    for (const tool of tools) {
      if (!toolName.test(tool.name))
        throw new Error(`the tool name ${JSON.stringify(tool.name)} must match ${toolName}`)
      if (byName.has(tool.name)) throw new Error(`two tools are named "${tool.name}"`)
      byName.set(tool.name, tool)
    }
    this.#tools = byName
    this.#sources = sources
    for (const tool of tools) this.#offer(tool)
  }

  /** These tools and some more that are found by their names, and offered only when they are named. For one run. */
  with(...more: readonly Tool[]): Tools {
    // A replay has recorded tools of these names.
    const added = new Map(more.filter(({ name }) => !this.#tools.has(name)).map((tool) => [tool.name, tool]))
    return {
      find: (name) => added.get(name) ?? this.find(name),
      offers: (names) => {
        const named = Array.isArray(names) ? [...added.values()].filter(({ name }) => names.includes(name)) : []
        return [...this.offers(names), ...named.map((tool) => this.#offer(tool))]
      },
      whenListed: (signal) => this.whenListed(signal),
      whenTried: async (name, signal) => (added.has(name) ? undefined : this.whenTried(name, signal)),
      absence: (name) => (added.has(name) ? undefined : this.absence(name)),
    }
  }

  get names(): ReadonlySet<string> {
    return new Set(this.#all().map(({ name }) => name))
  }

  find(name: string): Tool | undefined {
    const own = this.#tools.get(name)
    if (own) return own
    for (const source of this.#sources) {
      const tool = source.find(name)
      if (tool) return tool
    }
    return undefined
  }

  /**
   * Those named, all, or (undefined) all but those that must be named. Always in the same order, so that providers can
   * cache the prompt. Skips names without a tool, because a tool may be gone by the time a plan uses it.
   */
  offers(names?: OfferedNames): ToolOffer[] {
    const wanted = Array.isArray(names) && new Set(names)
    const isWanted = (tool: Tool) => (wanted ? wanted.has(tool.name) : names === 'all' || !tool.isOfferedByName)
    return this.#all()
      .filter(isWanted)
      .map((tool) => this.#offer(tool))
  }

  /** Resolves when `offers` is as complete as it can be now. */
  async whenListed(signal: AbortSignal): Promise<void> {
    for (const source of this.#sources) await source.whenListed(signal)
  }

  /** Resolves when it is known whether the tool can be called. */
  async whenTried(name: string, signal: AbortSignal): Promise<void> {
    if (this.#tools.has(name)) return
    for (const source of this.#sources) await source.whenTried(name, signal)
  }

  /** Why a tool cannot be called now. Undefined: it can. */
  absence(name: string): ToolAbsence | undefined {
    if (this.#tools.has(name)) return undefined
    for (const source of this.#sources) {
      const absence = source.absence(name)
      if (absence || source.find(name)) return absence
    }
    return { kind: 'unknown', message: `There is no tool ${showName(name)}.` }
  }

  #all(): readonly Tool[] {
    return [...this.#tools.values(), ...this.#sources.flatMap((source) => source.tools())]
  }

  #offer(tool: Tool): ToolOffer {
    const offer = this.#offers.get(tool) ?? leanOffer(tool)
    this.#offers.set(tool, offer)
    return offer
  }
}

/** They are checked when the tool is called, and cost tokens in every call to a model. */
const leftOut = new Set(['maxLength', 'minLength', 'maxItems', 'minItems', 'propertyNames'])

const isLeftOut = ([keyword, value]: [string, unknown]): boolean =>
  leftOut.has(keyword) || (keyword === 'additionalProperties' && value === false)

function leanOffer(tool: Tool): ToolOffer {
  const offer = describeTool(tool)
  if (tool.inputSchema) return offer
  return { ...offer, inputSchema: lean(offer.inputSchema) as ToolOffer['inputSchema'] }
}

/** Names of properties are kept, whatever they are. */
function lean(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(lean)
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter((entry) => !isLeftOut(entry))
  return Object.fromEntries(
    kept.map(([keyword, value]) => [keyword, keyword === 'properties' ? leanProperties(value) : lean(value)]),
  )
}

const leanProperties = (properties: object) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, lean(schema)]))

// Draft 7 is what providers understand; `io: 'input'` describes what the model sends, before defaults and
// transformations.
export function describeTool({ name, description, input, inputSchema: own }: ToolDescription): ToolOffer {
  if (own) return { name, description, inputSchema: own }
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { target: 'draft-7', io: 'input' })
  return { name, description, inputSchema }
}
