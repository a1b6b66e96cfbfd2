// Images and documents in the messages of a Responses request.
import { fileOfUrl } from '../files.ts'
import { checkOpenAiDocument, checkOpenAiImage } from '../openai-files.ts'
import { Refusal } from '../refusal.ts'
import type { NeutralFile } from '../script.ts'
import type { ProviderOptions } from '../wire-format.ts'
import { type Item, isMessage } from './request-shape.ts'

export function checkFiles(items: readonly Item[], { textOnly = false }: ProviderOptions): void {
  for (const [at, item] of items.entries()) {
    for (const [place, part] of partsOf(item).entries()) {
      const param = `input[${at}].content[${place}]`
      const isFile = part.type === 'input_image' || part.type === 'input_file'
      if (textOnly && isFile) throw new Refusal(`This model does not support ${part.type} content.`, { param })
      const file = fileOf(part)
      if (part.type === 'input_image' && file) checkOpenAiImage(file, param)
      if (part.type === 'input_file' && part.file_data !== undefined) {
        checkOpenAiDocument({ file, filename: part.filename }, param)
      }
    }
  }
}

type Message = Extract<Item, { role: unknown }>
type Part = Extract<Message['content'], readonly unknown[]>[number]

const partsOf = (item: Item): readonly Part[] =>
  isMessage(item) && Array.isArray(item.content) ? (item.content as readonly Part[]) : []

function fileOf(part: Part): NeutralFile | undefined {
  if (part.type === 'input_image') return fileOfUrl(part.image_url ?? '')
  return part.type === 'input_file' ? fileOfUrl(part.file_data ?? '') : undefined
}

export const filesOf = (item: Item): NeutralFile[] => partsOf(item).flatMap((part) => fileOf(part) ?? [])
