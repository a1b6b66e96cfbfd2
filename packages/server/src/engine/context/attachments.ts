// Reads the attachments of a run for its prompts: `data:` references as they are, `https:` ones over the network. Any
// other reference is only named.
//
// A fetched file is journaled before a model sees it. So all turns, retries and executions of the run see the same
// file, even if the server has another one by then. A file that could not be read is journaled as such, and the run
// goes on.
import type { ReadAttachment } from '../../agents/describe-attachments.ts'
import { readDataUrl } from '../../domain/attachments/data-url.ts'
import { type FileEntry, journalEntry } from '../../domain/run/journal.ts'
import { mask } from '../../domain/secrets/mask.ts'
import { PromptFile } from '../../models/port/prompt-file.ts'
import { runSliced, yieldToEventLoop } from '../../runtime/time-slices.ts'
import type { ClaimedRun } from '../../store/run-log/run-claimer.ts'
import { FetchError } from '../../tools/http-fetch/fetch-error.ts'
import type { FetchFile } from '../../tools/http-fetch/fetch-file.ts'
import { defaultPolicy, type PolicyRules, ruleFor } from '../../tools/policy/policy.ts'
import { watchDeadline } from '../../tools/port/call-deadline.ts'
import type { Tools } from '../../tools/port/catalogue.ts'
import { ToolDenied } from '../../tools/port/tool.ts'
import type { RunLedger } from '../ledger/run-ledger.ts'
import { throwIfAborted } from './abort-reason.ts'
import { contentOf } from './file-content.ts'

export const attachmentLimits = {
  files: 20,
  /** In base64 these are 5 MiB, the most that Anthropic takes. */
  bytesPerFile: 3_932_160,
  bytesPerRun: 8 * 1024 * 1024,
  secondsPerFile: 30,
  secondsPerRun: 60,
} as const

/** The execution of a run, as far as it concerns attachments. */
interface Execution {
  readonly run: ClaimedRun
  readonly policyCaller: Pick<ClaimedRun, 'customerId' | 'metadata'>
  readonly ledger: RunLedger
  readonly catalogue: Tools
  readonly signal: AbortSignal
  readonly parts: { readonly policy?: PolicyRules; readonly fetchFile?: FetchFile }
}

/** The attachments that can be read, in the order of their references. */
export async function readAttachments(context: Execution): Promise<readonly ReadAttachment[]> {
  const refs = [...(context.run.attachmentRefs ?? []).entries()].filter(([, ref]) => /^(?:data|https):/i.test(ref))
  const reader = new AttachmentReader(context)
  const read: ReadAttachment[] = []
  for (const [nth, [index, ref]] of refs.entries()) {
    const entry = nth < attachmentLimits.files ? await reader.read(ref, index) : tooMany
    read.push(toAttachment({ ref, number: index + 1 }, entry))
  }
  return read
}

const tooMany: FileEntry = { problem: `Only the first ${attachmentLimits.files} attachments are read.` }

const toAttachment = (named: Pick<ReadAttachment, 'ref' | 'number'>, entry: FileEntry): ReadAttachment => {
  if (!('data' in entry)) return { ...named, ...entry }
  const { mediaType, data } = entry
  const { ref } = named
  return { ...named, file: new PromptFile({ ref, mediaType, data: Buffer.from(data, 'base64') }) }
}

/** Reads one file after another, so that no more than the limits is in memory. */
class AttachmentReader {
  readonly #context: Execution
  readonly #startedAt = performance.now()
  #bytesLeft: number = attachmentLimits.bytesPerRun

  constructor(context: Execution) {
    this.#context = context
  }

  async read(ref: string, index: number): Promise<FileEntry> {
    const entry = /^data:/i.test(ref) ? await this.#readData(ref) : await this.#readOnce(ref, index)
    if ('data' in entry) this.#bytesLeft -= Buffer.byteLength(entry.data, 'base64')
    return entry
  }

  /** The reference itself is the file, so it is not journaled. */
  async #readData(ref: string): Promise<FileEntry> {
    const { run, signal } = this.#context
    if (this.#isMasked(ref)) return masked
    const data = readDataUrl(ref)
    if (typeof data === 'string') return { problem: data }
    const entry = await this.#tryTo(() =>
      contentOf({ ...data, url: new URL('data:,') }, { customerId: run.customerId, signal }),
    )
    return 'text' in entry && run.secrets ? { ...entry, text: await runSliced(run.secrets.scrub(entry.text)) } : entry
  }

  async #readOnce(ref: string, index: number): Promise<FileEntry> {
    const { ledger } = this.#context
    const known = ledger.progress.files.get(index)
    if (known) return known
    const entry = await this.#fetch(ref)
    throwIfAborted(this.#context.signal)
    // The server of the URL decides what the file says, and the file may be meant for this client only.
    const touch = journalEntry('touch', 'attachments', { touches: ['private', 'untrusted'] })
    const journal = [journalEntry('file', String(index), entry), ...('problem' in entry ? [] : [touch])]
    await ledger.apply({ journal })
    // As it was journaled, without secrets.
    return ledger.progress.files.get(index) ?? entry
  }

  async #fetch(ref: string): Promise<FileEntry> {
    const forbidden = this.#isMasked(ref) ? masked : this.#notAllowed()
    if (forbidden) return forbidden
    const secondsLeft = attachmentLimits.secondsPerRun - (performance.now() - this.#startedAt) / 1000
    if (secondsLeft <= 0) return outOfTime
    if (this.#bytesLeft <= 0) return outOfSpace
    return this.#tryTo(() => this.#fetchWithin(ref, Math.min(attachmentLimits.secondsPerFile, secondsLeft)))
  }

  async #fetchWithin(ref: string, seconds: number): Promise<FileEntry> {
    const { run, parts } = this.#context
    const { fetchFile } = parts
    if (!fetchFile) return { problem: 'This service does not fetch attachments.' }
    const deadline = watchDeadline(this.#context.signal, seconds)
    const maxBytes = Math.min(attachmentLimits.bytesPerFile, this.#bytesLeft)
    const fetched = fetchFile(ref, { signal: deadline.signal, maxBytes }).then((file) =>
      contentOf(file, { customerId: run.customerId, signal: deadline.signal }),
    )
    // After the deadline nothing else handles its errors.
    fetched.catch(() => undefined)
    try {
      const end = await Promise.race([fetched, deadline.passed])
      return typeof end === 'string' ? outOfTime : end
    } finally {
      deadline.release()
    }
  }

  /** A fetch needs the same permission as a call of `http_fetch`, but no person can be asked here. */
  #notAllowed(): FileEntry | undefined {
    const { catalogue, parts, policyCaller } = this.#context
    const tool = catalogue.find('http_fetch')
    const rule = tool ? ruleFor(parts.policy ?? defaultPolicy, tool, policyCaller) : 'deny'
    if (rule === 'allow') return undefined
    if (rule === 'deny') return { problem: 'Policy denies http_fetch, so it was not fetched.' }
    return { problem: 'Policy requires approval for http_fetch, so it was not fetched. Call http_fetch to ask for it.' }
  }

  async #tryTo(read: () => Promise<FileEntry>): Promise<FileEntry> {
    try {
      return await this.#withoutSecrets(await read())
    } catch (error) {
      if (error instanceof FetchError || error instanceof ToolDenied) return { problem: error.message }
      throw error
    }
  }

  /** A secret can be masked in text. In the bytes of a file it cannot. */
  async #withoutSecrets(entry: FileEntry): Promise<FileEntry> {
    const { secrets } = this.#context.run
    if (!secrets || !('data' in entry)) return entry
    await yieldToEventLoop()
    const bytes = Buffer.from(entry.data, 'base64').toString('latin1')
    return (await runSliced(secrets.scrub(bytes))) === bytes
      ? entry
      : { problem: 'It contains a sensitive value of this run.' }
  }

  /** A tagged value in a reference is replaced when the run is created, and what is left is another reference. */
  #isMasked(ref: string): boolean {
    return this.#context.run.secrets !== undefined && ref.includes(mask)
  }
}

const masked: FileEntry = { problem: 'Its reference contains a sensitive value.' }
const outOfTime: FileEntry = { problem: 'It did not arrive in time.' }
const outOfSpace: FileEntry = {
  problem: `The attachments of a run may have at most ${attachmentLimits.bytesPerRun} bytes together.`,
}
