// The media types that models take as files, and how their bytes begin.

type Start = (bytes: Uint8Array) => boolean

const startsWith =
  (text: string, at = 0): Start =>
  (bytes) =>
    [...text].every((character, index) => bytes[at + index] === character.charCodeAt(0))

const starts: Readonly<Record<string, Start>> = {
  'image/png': startsWith('\x89PNG\r\n\x1a\n'),
  'image/jpeg': startsWith('\xff\xd8\xff'),
  'image/gif': (bytes) => startsWith('GIF87a')(bytes) || startsWith('GIF89a')(bytes),
  'image/webp': (bytes) => startsWith('RIFF')(bytes) && startsWith('WEBP', 8)(bytes),
  'application/pdf': startsWith('%PDF-'),
}

/** Servers that know no better send files as these types. */
const unknownTypes = ['', 'application/octet-stream', 'binary/octet-stream']

export const isFileType = (type: string): boolean => Object.hasOwn(starts, type)

/** The type of a file: as claimed, or as its bytes say if the claim says nothing. */
export function typeOf(claimed: string, bytes: Uint8Array): string {
  const type = claimed === 'image/jpg' ? 'image/jpeg' : claimed
  return unknownTypes.includes(type) ? (Object.keys(starts).find((name) => hasTypeOf(name, bytes)) ?? type) : type
}

/** Whether the bytes begin as those of this type do. */
export const hasTypeOf = (type: string, bytes: Uint8Array): boolean => starts[type]?.(bytes) === true
