// A text, or a comparison of two, in blocks of which each can be seen to have been on the screen. A long one opens in
// portions: more at once would make the page slow.
import { type ReactNode, useMemo, useState } from 'react'
import type { TextPart } from './compare-texts.ts'
import { readableNumber } from './readable.ts'
import { usePartEnd } from './shown-parts.ts'
import { blocksOf } from './text-blocks.ts'

interface TextPartsProps {
  readonly parts: readonly TextPart[]
  /** How many blocks are shown before it is opened. */
  readonly atFirst?: number
  readonly className: string
}

/** In blocks. */
const portion = 100

/** Long texts are folded, never cut: an approver must be able to see all of it. */
export function TextParts({ parts, atFirst = portion, className }: TextPartsProps) {
  const [most, setMost] = useState(atFirst)
  const blocks = useMemo(() => blocksOf(parts), [parts])
  const rest = blocks.slice(most)
  const showMore = () => setMost((was) => was + portion)
  return (
    <div className="px-2.5 py-1.5">
      <p className={`whitespace-pre-wrap wrap-anywhere ${className}`}>
        {blocks.slice(0, most).map((block, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no other identity, and never change.
          <Block key={index} block={block} />
        ))}
        {rest.length > 0 && '…'}
      </p>
      {rest.length > 0 && <Rest blocks={rest} onMore={showMore} />}
    </div>
  )
}

function Block({ block }: { readonly block: readonly TextPart[] }) {
  const end = usePartEnd()
  return (
    <span data-part="" className="scroll-mt-20">
      {block.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity, and never change.
        <Piece key={index} part={part} />
      ))}
      <span ref={end} className="inline-block size-px" />
    </span>
  )
}

const lengthOf = (blocks: readonly (readonly TextPart[])[]): number =>
  blocks.flat().reduce((sum, { text }) => sum + text.length, 0)

interface RestProps {
  readonly blocks: readonly (readonly TextPart[])[]
  readonly onMore: () => void
}

function Rest({ blocks, onMore }: RestProps) {
  const place = usePartEnd(onMore)
  const left = lengthOf(blocks)
  const next = lengthOf(blocks.slice(0, portion))
  return (
    <button ref={place} type="button" className="text-left font-medium text-accent underline" onClick={onMore}>
      {next === left
        ? `Show the other ${readableNumber(left)} characters`
        : `Show ${readableNumber(next)} of the other ${readableNumber(left)} characters`}
    </button>
  )
}

/** Colour is never the only sign of what was removed or added. */
function Piece({ part: { kind, text } }: { readonly part: TextPart }): ReactNode {
  if (kind === 'same') return text
  if (kind === 'removed')
    return (
      <del className="bg-bad/12 text-bad decoration-1">
        <span className="sr-only">removed: </span>
        {text}
      </del>
    )
  return (
    <ins className="bg-good/14 text-good decoration-1">
      <span className="sr-only">added: </span>
      {text}
    </ins>
  )
}
