// Models that are not called: each call of a run is answered from the cassette of a run that did the same.
import { readdir } from 'node:fs/promises'
import { decodeFile } from '../../runtime/files/bounded-file.ts'
import { LinkLeadsOut, readInFolder } from '../../runtime/files/folder-file.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import { findModelConfig, type ModelConfig, type Providers } from '../config/provider-config.ts'
import { contextWindowOf } from '../context-windows.ts'
import { ModelBook } from '../model-book.ts'
import type { CallOrigin, Model, ModelOutcome, ModelRequest } from '../port/model.ts'
import { sandbox } from '../sandbox/sandbox.ts'
import { Cassette, replayFailure } from './cassette.ts'
import { headerSchema, parseCassette } from './cassette-file.ts'
import { cassetteEnding } from './recorder.ts'

const maxBytes = 256 * 1024 * 1024

/** Every name is a model. None needs a provider's key. The sandbox plays itself, because it is not recorded. */
export function replayModels(dir: string, providers: Providers = new Map()): ModelBook {
  const shelf = new Shelf(dir)
  const configOf = (name: string) => findModelConfig(name, providers)?.config
  return new ModelBook({
    openOne: async (name) => {
      await shelf.open()
      return name === sandbox.name ? sandbox : replayedModel(name, shelf, configOf(name))
    },
    fallbacksOf: (name) => configOf(name)?.fallbacks ?? [],
  })
}

/** Its window is that of the recorded model: it decides when a conversation is shortened. */
const replayedModel = (name: string, shelf: Shelf, config: ModelConfig | undefined): Model => ({
  name,
  contextTokens: config?.contextTokens ?? contextWindowOf(name.slice(name.indexOf('/') + 1)),
  respond: (request) => respond(shelf, request),
})

async function respond(shelf: Shelf, request: ModelRequest): Promise<ModelOutcome> {
  const { origin, signal } = request
  if (signal.aborted) return { kind: 'aborted', text: '', usage: undefined }
  if (!origin) throw new Error('a replayed model must be told which call it answers')
  const cassette = await shelf.cassetteOf(origin)
  if (cassette) return cassette.answer(origin.callKey, request, origin.comparable)
  return replayFailure(
    'cassette_missing',
    `RUNWRIGHT_REPLAY has no cassette for this run. Its fingerprint is ${origin.fingerprint()}. Record it with RUNWRIGHT_RECORD.`,
  )
}

/** The cassettes of a folder. Only those of the runs that are replayed are read whole. */
class Shelf {
  readonly #dir: string
  #files: Promise<ReadonlyMap<string, readonly string[]>> | undefined
  /** How many runs of each fingerprint were replayed. */
  readonly #replayed = new Map<string, number>()
  readonly #cassettes = new Map<string, Promise<Cassette | undefined>>()

  constructor(dir: string) {
    this.#dir = dir
  }

  /** Throws a SettingsError if the folder or a file of it cannot be read. */
  async open(): Promise<void> {
    this.#files ??= indexFolder(this.#dir)
    await this.#files
  }

  cassetteOf(origin: CallOrigin): Promise<Cassette | undefined> {
    const cassette = this.#cassettes.get(origin.runId) ?? this.#insert(origin)
    this.#cassettes.set(origin.runId, cassette)
    return cassette
  }

  /** The n-th run of a fingerprint gets its n-th cassette. After the last one it begins again. */
  async #insert({ runId, fingerprint: fingerprintOf }: CallOrigin): Promise<Cassette | undefined> {
    const fingerprint = fingerprintOf()
    const nth = this.#replayed.get(fingerprint) ?? 0
    this.#replayed.set(fingerprint, nth + 1)
    const files = (await this.#files)?.get(fingerprint) ?? []
    const file = files[nth % files.length]
    if (file === undefined) return undefined
    const { header, turns } = parseCassette(decodeFile(await readInFolder(this.#dir, file, { maxBytes })))
    return new Cassette({ recordedRunId: header.run_id, runId, turns })
  }
}

/** The files of each fingerprint, in the order in which their runs were created. */
async function indexFolder(dir: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    throw new SettingsError(`RUNWRIGHT_REPLAY: the folder ${dir} cannot be read (${error.code}).`)
  })
  const files = new Map<string, string[]>()
  for (const name of names.filter((name) => !name.startsWith('.') && name.endsWith(cassetteEnding)).sort()) {
    const fingerprint = await readFingerprint(dir, name)
    files.set(fingerprint, [...(files.get(fingerprint) ?? []), name])
  }
  return files
}

async function readFingerprint(dir: string, name: string): Promise<string> {
  try {
    const text = decodeFile(await readInFolder(dir, name, { maxBytes }))
    return headerSchema.parse(JSON.parse(text.slice(0, text.indexOf('\n')))).fingerprint
  } catch (error) {
    if (error instanceof LinkLeadsOut) throw new SettingsError(`RUNWRIGHT_REPLAY: in ${dir}/${name}, ${error.message}.`)
    throw new SettingsError(`RUNWRIGHT_REPLAY: ${name} in ${dir} is not a cassette of this version.`)
  }
}
