// Images and documents in chat messages.
import { fileOfUrl } from '../files.ts'
import { checkOpenAiDocument, checkOpenAiImage } from '../openai-files.ts'
import { Refusal } from '../refusal.ts'
import type { NeutralFile } from '../script.ts'
import type { ProviderOptions } from '../wire-format.ts'
import type { ChatMessage } from './request-shape.ts'

export function checkFiles(messages: readonly ChatMessage[], { textOnly = false }: ProviderOptions): void {
  for (const [at, message] of messages.entries()) {
    for (const [place, part] of partsOf(message).entries()) {
      const param = `messages[${at}].content[${place}]`
      if (textOnly && part.type !== 'text') {
        throw new Refusal(`Invalid content type. ${part.type} is only supported by certain models.`, { param })
      }
      const file = fileOf(part)
      if (part.type === 'image_url' && file) checkOpenAiImage(file, param)
      if (part.type === 'file') checkOpenAiDocument({ file, filename: part.file.filename }, `${param}.file`)
    }
  }
}

type Part = Extract<Extract<ChatMessage, { role: 'user' }>['content'], readonly unknown[]>[number]

const partsOf = ({ content }: ChatMessage): readonly Part[] => (Array.isArray(content) ? content : [])

function fileOf(part: Part): NeutralFile | undefined {
  if (part.type === 'image_url') return fileOfUrl(part.image_url.url)
  return part.type === 'file' ? fileOfUrl(part.file.file_data ?? '') : undefined
}

export const filesOf = (message: ChatMessage): NeutralFile[] => partsOf(message).flatMap((part) => fileOf(part) ?? [])
