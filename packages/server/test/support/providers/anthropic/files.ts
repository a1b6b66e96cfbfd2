// Images and documents in Messages: PNG, JPEG, WebP and GIF of at most 5 MB in base64, PDF of at most 32 MB.
import { type FileProblem, fileProblem } from '../files.ts'
import { Refusal } from '../refusal.ts'
import type { NeutralFile } from '../script.ts'
import type { ProviderOptions } from '../wire-format.ts'
import { type AnthropicMessage, type BlockOf, blocksOf, type MessagesRequest } from './request-shape.ts'

const images = { types: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'], maxLength: 5_242_880 }
const documents = { types: ['application/pdf'], maxLength: 32_000_000 }

export function checkFiles({ model, messages }: MessagesRequest, { textOnly = false }: ProviderOptions): void {
  for (const [at, message] of messages.entries()) {
    for (const [place, block] of blocksOf(message).entries()) {
      if (block.type !== 'image' && block.type !== 'document') continue
      if (textOnly) throw new Refusal(`'${model}' does not support ${block.type} input.`)
      checkBlock(block, `messages.${at}.content.${place}.${block.type}.source.base64`)
    }
  }
}

function checkBlock(block: BlockOf<'image'> | BlockOf<'document'>, path: string): void {
  const file = fileOf(block)
  if (file === undefined) return
  const rules = block.type === 'image' ? images : documents
  const problem = fileProblem(file, rules)
  if (problem) throw new Refusal(`${path}${wordsFor(problem, file, block.type, rules)}`)
}

function wordsFor(problem: FileProblem, { mediaType, data }: NeutralFile, kind: string, rules: typeof images): string {
  if (problem === 'type') return `.media_type: Input should be '${rules.types.join("', '")}'`
  if (problem === 'base64') return '.data: Invalid base64 data'
  if (problem === 'large') return `: ${kind} exceeds maximum: ${data.length} bytes > ${rules.maxLength} bytes`
  return kind === 'image'
    ? `: Image does not match the provided media type ${mediaType}`
    : ': The PDF specified was not valid.'
}

const fileOf = ({ source }: BlockOf<'image'> | BlockOf<'document'>): NeutralFile | undefined =>
  source.type === 'base64' ? { mediaType: source.media_type, data: source.data } : undefined

export const filesOf = (message: AnthropicMessage): NeutralFile[] =>
  blocksOf(message).flatMap((block) =>
    block.type === 'image' || block.type === 'document' ? (fileOf(block) ?? []) : [],
  )
