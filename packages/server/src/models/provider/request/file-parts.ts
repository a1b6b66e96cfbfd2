// The files of messages, for a model that takes some types of files and is told about the others in words.
import { shortenText } from '@runwright/contract'
import type { AttachedFile, Message, ModelRequest } from '../../port/model.ts'
import type { ProviderCall, WireFormat } from '../sdk/language-model.ts'

type UserPart = Extract<ProviderCall['prompt'][number], { role: 'user' }>['content'][number]
type FilePart = Extract<UserPart, { type: 'file' }>

const images = ['image/png', 'image/jpeg', 'image/webp']
const pdf = 'application/pdf'

/**
 * What the models of a provider take, unless the providers file says otherwise. Many models behind the chat format take
 * no files. Gemini takes no GIF.
 */
export const filesTakenBy: Readonly<Record<WireFormat, readonly string[]>> = {
  openai: [...images, 'image/gif', pdf],
  anthropic: [...images, 'image/gif', pdf],
  google: [...images, pdf],
  'openai-chat': [],
  'openai-compatible': [],
}

export const fileParts = (files: readonly AttachedFile[] = []): FilePart[] =>
  files.map(({ mediaType, data }, index) => ({
    type: 'file',
    mediaType,
    // The SDKs would convert bytes one by one, and take a second of the process for a large file.
    data: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64'),
    // OpenAI requires the name of a PDF. The reference would be too long, and may not look like a name at all.
    ...(mediaType === pdf && { filename: `attachment-${index + 1}.pdf` }),
  }))

/** Takes out the files that the model does not take, and names them in the text of their message. */
export function withFilesTaken(request: ModelRequest, takes: (file: AttachedFile) => boolean): ModelRequest {
  if (!filesOf(request).some((file) => !takes(file))) return request
  return { ...request, messages: request.messages.map((message) => withoutOthers(message, takes)) }
}

export const filesOf = ({ messages }: Pick<ModelRequest, 'messages'>): readonly AttachedFile[] =>
  messages.flatMap((message) => ('files' in message ? (message.files ?? []) : []))

/** `image/*` stands for all images. */
export const takesType = (accepted: readonly string[], type: string): boolean =>
  accepted.includes(type) || (type.startsWith('image/') && accepted.includes('image/*'))

function withoutOthers(message: Message, takes: (file: AttachedFile) => boolean): Message {
  if (!('files' in message) || message.files === undefined) return message
  const others = message.files.filter((file) => !takes(file))
  const words = others.map(
    ({ ref, mediaType }) => `You cannot see the file ${shortenText(ref, maxRefLength)} (${mediaType}).`,
  )
  const { files, ...rest } = message
  return { ...rest, text: [message.text, ...words].join('\n\n'), files: files.filter(takes) }
}

const maxRefLength = 200
