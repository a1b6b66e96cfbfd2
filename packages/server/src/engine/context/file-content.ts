// What a file is to a prompt: text, a file that models take, or neither. The type that its sender claims is checked.
import { shorten } from '../../agents/value-text.ts'
import { hasTypeOf, isFileType, typeOf } from '../../domain/attachments/file-type.ts'
import type { FileEntry } from '../../domain/run/journal.ts'
import { storableText } from '../../domain/text.ts'
import type { FetchedFile } from '../../tools/http-fetch/fetch-file.ts'
import { isReadable, parseContentType, readableText } from '../../tools/http-fetch/readable-body.ts'

/** The text of a file up to this length is kept: about 10,000 tokens. */
const maxTextLength = 40_000

interface Reader {
  readonly customerId: string
  readonly signal: AbortSignal
}

export async function contentOf(file: FetchedFile, reader: Reader): Promise<FileEntry> {
  const { bytes } = file
  if (bytes.length === 0) return { problem: 'It is empty.' }
  const mediaType = typeOf(parseContentType(file.contentType).type, bytes)
  if (isFileType(mediaType)) {
    if (!hasTypeOf(mediaType, bytes)) return { problem: `It is sent as ${mediaType}, but its bytes are not.` }
    return { mediaType, data: bytes.toString('base64') }
  }
  // The type is the sender's text. Only a plain one is shown.
  if (!/^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(mediaType)) return { problem: 'It has no known media type.' }
  if (!isReadable(mediaType)) return { problem: `Files of the type ${mediaType} are not supported.` }
  const text = await readableText({ ...file, ...reader })
  return { mediaType, text: shorten(storableText(text), maxTextLength) }
}
