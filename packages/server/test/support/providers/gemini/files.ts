// Inline data in Gemini contents: PNG, JPEG, WebP, HEIC and PDF, 20 MB a request. GIF is refused.
import { type FileProblem, fileProblem } from '../files.ts'
import { Refusal } from '../refusal.ts'
import type { NeutralFile } from '../script.ts'
import type { ProviderOptions } from '../wire-format.ts'
import type { Content, GeminiRequest } from './request-shape.ts'

const types = ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif', 'application/pdf', 'text/plain']
const maxLength = 20_000_000

export function checkFiles({ contents }: GeminiRequest, model: string, { textOnly = false }: ProviderOptions): void {
  for (const [at, content] of contents.entries()) {
    for (const [place, { inlineData }] of content.parts.entries()) {
      if (inlineData === undefined) continue
      if (textOnly) throw new Refusal(`Image input modality is not enabled for models/${model}`)
      const problem = fileProblem({ mediaType: inlineData.mimeType, data: inlineData.data }, { types, maxLength })
      if (problem) throw new Refusal(wordsFor(problem, inlineData.mimeType, `contents[${at}].parts[${place}]`))
    }
  }
}

function wordsFor(problem: FileProblem, type: string, path: string): string {
  if (problem === 'type') return `Unsupported MIME type: ${type}`
  if (problem === 'base64') return `Invalid value at '${path}.inline_data.data' (TYPE_BYTES), Base64 decoding failed.`
  if (problem === 'large') return 'Request payload size exceeds the limit: 20971520 bytes.'
  return type === 'application/pdf' ? 'The document has no pages.' : 'Unable to process input image.'
}

export const filesOf = ({ parts }: Content): NeutralFile[] =>
  parts.flatMap(({ inlineData }) => (inlineData ? [{ mediaType: inlineData.mimeType, data: inlineData.data }] : []))
