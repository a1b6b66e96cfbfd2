// The estimate for tokens that the provider did not count: four characters per token, and a flat number for each file.
import type { AttachedFile, Message, ModelRequest } from './model.ts'

export const charactersPerToken = 4

export const tokensOfCharacters = (characters: number): number => Math.ceil(characters / charactersPerToken)

export const estimateTokens = (text: string): number => tokensOfCharacters(text.length)

/** The tokens of a prompt with its tools and files. */
export const estimatePrompt = ({ messages, tools }: Pick<ModelRequest, 'messages' | 'tools'>): number =>
  estimateTokens(JSON.stringify([messages, tools])) + tokensOfFiles(messages)

export const estimateMessages = (messages: readonly Message[]): number =>
  estimateTokens(JSON.stringify(messages)) + tokensOfFiles(messages)

const tokensOfFiles = (messages: readonly Message[]): number =>
  messages.flatMap((message) => ('files' in message ? (message.files ?? []) : [])).reduce(addFile, 0)

/** Providers scale images down, so that none costs much more than this. */
const tokensPerImage = 1_600
/** Providers read a PDF page by page, as text and as an image. A page often has about this many bytes. */
const tokensPerPage = 2_000
const bytesPerPage = 100_000

const addFile = (tokens: number, { mediaType, data }: AttachedFile): number =>
  tokens + (mediaType === 'application/pdf' ? Math.ceil(data.length / bytesPerPage) * tokensPerPage : tokensPerImage)
