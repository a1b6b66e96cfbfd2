// The answer to a search for tools: the best matches with all that a call needs, or the names of the tools if nothing
// matches. It is bounded, so that a prompt shows it whole.
import { cutText } from '@runwright/contract'
import type { ToolOffer } from '../../tools/port/catalogue.ts'
import { rankTools } from './rank-tools.ts'
import { toolSignature } from './tool-signature.ts'

const maxTools = 8
/** Of all tools as JSON. */
const maxLength = 12_000
/** A larger schema is shown as a list of arguments. */
const maxSchemaLength = 6_000
const maxDescriptionLength = 1_000
const maxNamesLength = 8_000

type FoundTool = { readonly name: string; readonly description: string } & (
  | { readonly input_schema: ToolOffer['inputSchema'] }
  | { readonly arguments: string; readonly note: string }
)

export interface FoundTools {
  readonly tools: readonly FoundTool[]
  /** How many more match. */
  readonly more?: number
  readonly note?: string
  readonly names?: readonly string[]
}

/** Yields where the work can be interrupted. */
export function* findTools(tools: readonly ToolOffer[], query: string): Generator<void, FoundTools> {
  const matches = yield* rankTools(tools, query)
  if (matches.length === 0) return listNames(tools)
  const shown: FoundTool[] = []
  let length = 0
  for (const match of matches.slice(0, maxTools)) {
    const found = showFound(match)
    length += JSON.stringify(found).length
    if (length > maxLength && shown.length > 0) break
    shown.push(found)
  }
  const more = matches.length - shown.length
  return { tools: shown, ...(more > 0 && { more, note: 'More tools match. Search with other words to see them.' }) }
}

function showFound(tool: ToolOffer): FoundTool {
  const named = { name: tool.name, description: cutText(tool.description, maxDescriptionLength) }
  if (JSON.stringify(tool.inputSchema).length <= maxSchemaLength) return { ...named, input_schema: tool.inputSchema }
  return { ...named, arguments: toolSignature(tool), note: 'The input schema is too long to be shown.' }
}

function listNames(tools: readonly ToolOffer[]): FoundTools {
  if (tools.length === 0) return { tools: [], note: 'There are no tools to search for now.' }
  const names: string[] = []
  let length = 0
  for (const name of tools.map((tool) => tool.name).toSorted()) {
    length += name.length
    if (length > maxNamesLength) break
    names.push(name)
  }
  const left = tools.length - names.length
  const note = `No tool matches these words. ${left === 0 ? 'These are the names of all tools' : `These are names of tools, and ${left} more are not listed`}. Search with words of one of them.`
  return { tools: [], note, names }
}
