// A file of a message. Its JSON describes the file and leaves out the bytes, because messages are measured, recorded
// and compared as JSON.
import { hash } from 'node:crypto'
import type { AttachedFile } from './model.ts'

export class PromptFile implements AttachedFile {
  readonly ref: string
  readonly mediaType: string
  readonly data: Uint8Array
  #sha256: string | undefined

  constructor({ ref, mediaType, data }: AttachedFile) {
    this.ref = ref
    this.mediaType = mediaType
    this.data = data
  }

  toJSON() {
    const { ref, mediaType, data } = this
    this.#sha256 ??= hash('sha256', data)
    return { ref, mediaType, bytes: data.length, sha256: this.#sha256 }
  }
}
