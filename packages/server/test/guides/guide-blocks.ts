// The fenced blocks of a guide, and what each of them is for. CONTRIBUTING.md describes the words after a fence.

export type GuideBlock = { readonly line: number; readonly text: string } & (
  | { readonly kind: 'shown' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'command'; readonly exitCode: number; readonly onTerminal: boolean }
  | { readonly kind: 'service'; readonly name: string }
  /** What the block before it prints. With `answer`, the reader then types that. */
  | { readonly kind: 'output'; readonly answer: string | undefined }
)

export interface Fence {
  readonly line: number
  readonly language: string
  readonly words: ReadonlyMap<string, string>
  readonly text: string
}

// A block in a list is indented.
const fencePattern = /^( *)```(\S*)([^\n]*)\n([\s\S]*?)^\1```$/gm

export function readGuide(markdown: string): GuideBlock[] {
  const blocks: GuideBlock[] = []
  for (const fence of readFences(markdown)) blocks.push(toBlock(fence, blocks.at(-1)))
  return blocks
}

export const readFences = (markdown: string): Fence[] =>
  [...markdown.matchAll(fencePattern)].map(
    ({ index, 1: indent = '', 2: language = '', 3: rest = '', 4: text = '' }) => ({
      line: markdown.slice(0, index).split('\n').length,
      language,
      words: readWords(rest),
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  )

/** `service=web` and `type="Too late"` have a value, `setup` has none. */
const readWords = (rest: string): Map<string, string> =>
  new Map(
    [...rest.matchAll(/([^\s=]+)(?:="([^"]*)"|=(\S*))?/g)].map(([, word = '', quoted, plain]) => [
      word,
      quoted ?? plain ?? '',
    ]),
  )

function toBlock({ line, language, words, text }: Fence, before: GuideBlock | undefined): GuideBlock {
  const take = wordTaker(words, line)
  const path = take('file')
  if (path !== undefined) return take.all({ kind: 'file', line, text, path })
  if (language !== 'sh') {
    if (before === undefined || !hasOutput(before)) throw new Error(`line ${line}: nothing runs this block`)
    return take.all({ kind: 'output', line, text, answer: take('type') })
  }
  if (take('setup') !== undefined) return take.all({ kind: 'shown', line, text })
  const name = take('service')
  if (name !== undefined) return take.all({ kind: 'service', line, text, name })
  const onTerminal = take('terminal') !== undefined
  return take.all({ kind: 'command', line, text, onTerminal, exitCode: Number(take('exit') ?? 0) })
}

/** What is printed can come in several blocks, with an answer of the reader in between. */
const hasOutput = (block: GuideBlock): boolean =>
  ['command', 'service'].includes(block.kind) || (block.kind === 'output' && block.answer !== undefined)

function wordTaker(words: ReadonlyMap<string, string>, line: number) {
  const rest = new Map(words)
  const take = (word: string): string | undefined => {
    const value = rest.get(word)
    rest.delete(word)
    return value
  }
  /** A word that nothing took is a mistake. */
  const all = (block: GuideBlock): GuideBlock => {
    if (rest.size > 0) throw new Error(`line ${line}: unknown word after the fence: ${[...rest.keys()].join(', ')}`)
    return block
  }
  return Object.assign(take, { all })
}
