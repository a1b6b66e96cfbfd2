// Ranks tools by the words of a query, in the name, the arguments and the description of each. Plain words: no model,
// no index, nothing from outside becomes a pattern. The work is bounded, because queries come from models and
// descriptions from other servers.
//
//   a word of the query that is in        the name    4, half of it if only the beginning is equal
//                                         arguments   2
//                                         description 1
//
// A word counts the more the fewer tools have it. Tools with equal scores are ordered by their names.
import { cutText } from '@runwright/contract'
import type { ToolOffer } from '../../tools/port/catalogue.ts'

const maxQueryLength = 400
const maxQueryWords = 16
/** Of a description, and of the names of all arguments. */
const maxIndexedLength = 2_000
/** Shorter words begin many others. */
const minBeginning = 3
const weights = { name: 4, beginning: 2, argument: 2, description: 1 } as const
/** More than all words of a query together. */
const wholeName = 1_000
/** What scores less than this share of the best one shares only common words with the query. */
const leastShare = 0.2

interface IndexedTool {
  readonly name: ReadonlySet<string>
  readonly arguments: ReadonlySet<string>
  readonly description: ReadonlySet<string>
}

/**
 * The tools that match, best first. The same tools and query always give the same list. Yields where the work can be
 * interrupted: a server may have hundreds of tools.
 */
export function* rankTools(tools: readonly ToolOffer[], query: string): Generator<void, ToolOffer[]> {
  const asked = cutText(query, maxQueryLength)
  const words = [...new Set(wordsOf(asked))].slice(0, maxQueryWords)
  const wholeNames = new Set(asked.toLowerCase().split(/\s/))
  const scores = new Map(tools.map((tool) => [tool, wholeNames.has(tool.name.toLowerCase()) ? wholeName : 0]))
  for (const tool of tools) {
    indexed(tool)
    yield
  }
  for (const word of words) {
    addScores(scores, word)
    yield
  }
  const best = Math.max(0, ...scores.values())
  return [...scores]
    .filter(([, score]) => score > 0 && score >= best * leastShare)
    .toSorted(([one, score], [other, otherScore]) => otherScore - score || compare(one.name, other.name))
    .map(([tool]) => tool)
}

function addScores(scores: Map<ToolOffer, number>, word: string): void {
  const found = [...scores.keys()].map((tool) => [tool, weightIn(indexed(tool), word)] as const)
  const hits = found.filter(([, weight]) => weight > 0)
  const rarity = Math.log(1 + (scores.size - hits.length + 0.5) / (hits.length + 0.5))
  for (const [tool, weight] of hits) scores.set(tool, (scores.get(tool) ?? 0) + weight * rarity)
}

function weightIn(tool: IndexedTool, word: string): number {
  if (tool.name.has(word)) return weights.name
  if ([...tool.name].some((other) => beginAlike(word, other))) return weights.beginning
  if (tool.arguments.has(word)) return weights.argument
  return tool.description.has(word) ? weights.description : 0
}

const beginAlike = (one: string, other: string): boolean =>
  Math.min(one.length, other.length) >= minBeginning && (one.startsWith(other) || other.startsWith(one))

/** Offers are kept as long as the tools are, so each is read once. */
const index = new WeakMap<ToolOffer, IndexedTool>()

function indexed(tool: ToolOffer): IndexedTool {
  const known = index.get(tool) ?? readTool(tool)
  index.set(tool, known)
  return known
}

function readTool({ name, description, inputSchema: { properties } }: ToolOffer): IndexedTool {
  const named = typeof properties === 'object' && properties !== null ? Object.keys(properties).join(' ') : ''
  const setOf = (text: string) => new Set(wordsOf(cutText(text, maxIndexedLength)))
  return { name: setOf(name), arguments: setOf(named), description: setOf(description) }
}

/** Scripts without spaces: each of their characters counts as a word. */
const wordless = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu

/** `createIssues` and `create-issue` have the same words. */
const wordsOf = (text: string): string[] =>
  text
    .replace(wordless, ' $& ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]/u)
    .filter((word) => word !== '')
    .map(singular)

const singular = (word: string): string =>
  word.length > minBeginning && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
