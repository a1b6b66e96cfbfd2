// Images and documents inside a request, checked as every provider does: valid base64, a known type, the bytes of that
// type, and not too large. Each wire format has its own words for it.
import { hasTypeOf, isFileType } from '../../../src/domain/attachments/file-type.ts'
import type { NeutralFile } from './script.ts'

interface FileRules {
  /** Media types. */
  readonly types: readonly string[]
  /** Of the base64 text. */
  readonly maxLength: number
}

export type FileProblem = 'base64' | 'type' | 'large' | 'bytes'

const isBase64 = (text: string): boolean => text !== '' && Buffer.from(text, 'base64').toString('base64') === text

export function fileProblem(
  { mediaType, data }: NeutralFile,
  { types, maxLength }: FileRules,
): FileProblem | undefined {
  if (!types.includes(mediaType)) return 'type'
  if (!isBase64(data)) return 'base64'
  if (data.length > maxLength) return 'large'
  return isFileType(mediaType) && !hasTypeOf(mediaType, Buffer.from(data, 'base64')) ? 'bytes' : undefined
}

/** The file of a `data:` URL; undefined for any other URL, which the provider fetches itself. */
export function fileOfUrl(url: string): NeutralFile | undefined {
  const [, mediaType, data] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? []
  if (mediaType !== undefined && data !== undefined) return { mediaType, data }
  return url.startsWith('data:') ? { mediaType: 'not base64', data: url } : undefined
}

export const withFiles = (files: readonly NeutralFile[]) => (files.length === 0 ? {} : { files })
