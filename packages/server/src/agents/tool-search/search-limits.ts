// Decides whether a model is offered all tools of its step, or a few of them and a search for the others.
import { builtInTools } from '@runwright/contract'
import { estimateTokens } from '../../models/port/estimate-tokens.ts'
import type { ToolOffer } from '../../tools/port/catalogue.ts'

/** A model is offered no more tools than this at once. */
export const maxOfferedTools = 30
/** Nor tools whose descriptions and schemas have more tokens together. */
export const maxOfferedTokens = 8_000

export const exceedsLimits = (tools: readonly ToolOffer[]): boolean =>
  tools.length > maxOfferedTools || tools.reduce((sum, tool) => sum + tokensOf(tool), 0) > maxOfferedTokens

/** Offers are kept as long as the tools are, and some are large. */
const tokens = new WeakMap<ToolOffer, number>()

function tokensOf(tool: ToolOffer): number {
  const known = tokens.get(tool) ?? estimateTokens(JSON.stringify(tool))
  tokens.set(tool, known)
  return known
}

interface SplitTools {
  /** Those that the model is offered at once. They stay the same while the service runs. */
  readonly direct: readonly ToolOffer[]
  /** Those that it searches for. */
  readonly searched: readonly ToolOffer[]
}

/** The tools of MCP servers are searched for. So are the operator's own tools, if they alone are too many. */
export function splitTools(tools: readonly ToolOffer[]): SplitTools {
  const ofService = tools.filter(({ name }) => !name.includes('.'))
  const direct = new Set(exceedsLimits(ofService) ? ofService.filter(isBuiltIn) : ofService)
  return { direct: [...direct], searched: tools.filter((tool) => !direct.has(tool)) }
}

const isBuiltIn = ({ name }: ToolOffer): boolean => (builtInTools as readonly string[]).includes(name)
