// Turns calls to models into records for the run log. Consecutive calls of a step share the beginning of their
// conversation, so each record has only the messages that are new: a long conversation is stored once, not once per
// turn. Secrets are masked, and very long texts are cut.
import { createHash } from 'node:crypto'
import type { TurnMessage, TurnRole } from '@runwright/contract'
import type { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'
import { taskOfCall } from '../../models/cassette/cassette-file.ts'
import { toTurnMessage } from '../../models/cassette/turn-message.ts'
import type { Message } from '../../models/port/model.ts'
import type { NewTurn, TurnBody } from '../../store/run-log/run-change.ts'
import { cutMessages, cutReply } from './cut-turn.ts'
import { scrubMessage, scrubTurnBody } from './scrub-turn.ts'

/** A call to a model, as it was made. */
export interface TracedCall {
  readonly role: TurnRole
  readonly callKey: string
  readonly attempt: number
  readonly leftMs: number
  /** Empty if the model did not read the prompt. */
  readonly messages: readonly Message[]
  readonly body: Omit<TurnBody, 'truncated'>
}

interface TracedRun {
  readonly epoch: number
  readonly secrets: SecretKeeper | undefined
}

interface KnownMessage {
  readonly digest: string
  /** Bytes of the stored form. */
  readonly bytes: number
  readonly isCut: boolean
}

export class TurnChains {
  /** Its secrets are sealed until they are read. */
  readonly #run: TracedRun
  /** The messages of the last call, for each task and role. */
  readonly #last = new Map<string, readonly KnownMessage[]>()

  constructor(run: TracedRun) {
    this.#run = run
  }

  /** Yields where the work can be interrupted: a prompt may be long. */
  *add({ role, callKey, attempt, leftMs, messages: sent, body: given }: TracedCall): Generator<void, NewTurn> {
    const { epoch, secrets } = this.#run
    const taskKey = taskOfCall(callKey)
    const chain = `${role} ${taskKey}`
    const plain = sent.map(toTurnMessage)
    const digests: string[] = []
    for (const message of plain) {
      digests.push(digestOf(message))
      yield
    }
    const last = this.#last.get(chain) ?? []
    const shared = countShared(digests, last)
    // Scrubbed before it is cut: half of a secret would not be recognized.
    const scrubbed: TurnMessage[] = []
    for (const message of plain.slice(shared)) {
      scrubbed.push(yield* scrubMessage(secrets, message))
      yield
    }
    const rest = cutMessages(scrubbed)
    yield
    const known = [...last.slice(0, shared), ...rest.map((cut, n) => knownMessage(digests[shared + n] ?? '', cut))]
    this.#last.set(chain, known)
    yield
    const scrubbedBody = yield* scrubTurnBody(secrets, given)
    yield
    const { body, isCut } = cutReply(scrubbedBody)
    yield
    const whole = { ...body, truncated: isCut || known.some((message) => message.isCut) }
    const messages = rest.map(({ message }) => message)
    const size = sum(known) + Buffer.byteLength(JSON.stringify(whole))
    return { epoch, attempt, taskKey, callKey, role, leftMs, shared, messages, body: whole, size }
  }
}

const digestOf = (message: TurnMessage): string => createHash('sha1').update(JSON.stringify(message)).digest('base64')

function countShared(digests: readonly string[], last: readonly KnownMessage[]): number {
  let shared = 0
  while (shared < digests.length && digests[shared] === last[shared]?.digest) shared += 1
  return shared
}

const knownMessage = (digest: string, { message, isCut }: { message: TurnMessage; isCut: boolean }): KnownMessage => ({
  digest,
  bytes: Buffer.byteLength(JSON.stringify(message)),
  isCut,
})

const sum = (messages: readonly KnownMessage[]): number => messages.reduce((total, { bytes }) => total + bytes, 0)
