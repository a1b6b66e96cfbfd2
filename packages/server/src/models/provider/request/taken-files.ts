// Which files of a request a model gets. A server that refuses a file is asked again without, and the model is told in
// words.
//
// Whether the server refuses the file or all files decides who is affected. A broken file of one run must not take the
// files away from all others, so only a plain "this model takes no files" is remembered for the model, and only as long
// as it has accepted none. Any other refusal is remembered for the files of that request.
import type { AttachedFile, ModelRequest } from '../../port/model.ts'
import type { Quirks } from '../sdk/quirks.ts'
import { filesOf, takesType, withFilesTaken } from './file-parts.ts'

export class TakenFiles {
  readonly #accepted: readonly string[]
  readonly #quirks: Quirks
  /** By their bytes, which stay the same object during an execution of a run. */
  readonly #refused = new WeakSet<Uint8Array>()
  #hasAcceptedFile = false

  constructor(accepted: readonly string[], quirks: Quirks) {
    this.#accepted = accepted
    this.#quirks = quirks
  }

  takenFrom(request: ModelRequest): ModelRequest {
    return withFilesTaken(request, (file) => this.#takes(file))
  }

  /** The server accepted the request. */
  accepted(request: ModelRequest): void {
    this.#hasAcceptedFile ||= this.#sentIn(request).length > 0
  }

  /** Whether the server refused a file of the request, so that it can be asked again without. */
  refused(request: ModelRequest, words: string): boolean {
    const sent = this.#sentIn(request)
    if (sent.length === 0 || !aboutFiles.test(words)) return false
    if (aboutAllFiles.test(words) && !aboutOneFile.test(words) && !this.#hasAcceptedFile) {
      this.#quirks.remember('no_files')
    }
    for (const { data } of sent) this.#refused.add(data)
    return true
  }

  #sentIn(request: ModelRequest): AttachedFile[] {
    return filesOf(request).filter((file) => this.#takes(file))
  }

  #takes({ mediaType, data }: AttachedFile): boolean {
    return takesType(this.#accepted, mediaType) && !this.#quirks.has('no_files') && !this.#refused.has(data)
  }
}

// A server or proxy that takes only small requests takes the same one without files.
const aboutFiles = /too.large|image|file|document|pdf|media|mime|vision|multi-?modal|inline_?data|content.{0,20}type/i

const aboutAllFiles =
  /not (?:currently )?support|n't support|only supported by|not (?:a )?multi-?modal|at most 0 (?:image|file)|mmproj|not enabled|unknown (?:content|part|variant)/i

/** Words about the content of a file, which other words could make look like a refusal of all files. */
const aboutOneFile =
  /mime|image format|formats|valid (?:image|pdf|base64|document)|corrupt|process|decode|too large|exceed|password/i
