// The agents of this process: the set that new runs begin with, and earlier ones that runs still use.
//
//   reload   read the folder; store the set, if this process executes runs; use it for runs that begin from now on.
//            If anything fails, log it and keep the set of before.
//   find     from memory, or from the table: another process may have stored it, or this one before a restart.
import type { Logger } from '../../runtime/logger.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import { findAgentSet, saveAgentSet } from '../../store/installation/agent-sets.ts'
import type { Database } from '../../store/postgres/database.ts'
import { AgentSet } from './agent-set.ts'

export interface AgentFolder {
  /** The agents at startup. */
  readonly first: AgentSet
  readonly load: () => Promise<AgentSet>
}

interface AgentSetsOptions {
  /** Undefined: neither `RUNWRIGHT_AGENTS_DIR` nor `RUNWRIGHT_SKILLS_DIR` is set. */
  readonly folder?: AgentFolder | undefined
  readonly logger: Logger
  /** Where sets are stored. Left out in a process that executes no runs. */
  readonly database?: Database | undefined
  /** Opens the models of a set that comes from the table. */
  readonly openModels?: ((list: string) => Promise<unknown>) | undefined
}

export class AgentSets {
  readonly #options: AgentSetsOptions
  readonly #known = new Map<string, AgentSet>()
  #current: AgentSet | undefined
  #reloading: Promise<void> = Promise.resolve()

  constructor(options: AgentSetsOptions) {
    this.#options = options
    this.#current = options.folder?.first
    if (this.#current) this.#known.set(this.#current.hash, this.#current)
  }

  /** The set of runs that begin now. Undefined if no folder is configured. */
  get current(): AgentSet | undefined {
    return this.#current
  }

  /** Stores the set of the startup, before a run can begin with it. */
  async start(): Promise<void> {
    if (this.#current) await this.#save(this.#current)
  }

  async find(hash: string): Promise<AgentSet | undefined> {
    const known = this.#known.get(hash)
    if (known) return known
    const { database } = this.#options
    const definitions = database && (await findAgentSet(database, hash))
    if (!definitions) return undefined
    const set = AgentSet.ofStored(definitions as Parameters<typeof AgentSet.ofStored>[0])
    await this.#openModels(set)
    this.#known.set(hash, set)
    return set
  }

  /** Never rejects. Reloads follow one another, so that the last one counts. */
  reload(): Promise<void> {
    this.#reloading = this.#reloading.then(() => this.#reload())
    return this.#reloading
  }

  async #reload(): Promise<void> {
    const { folder, logger } = this.#options
    if (!folder) return
    try {
      const set = await folder.load()
      await this.#save(set)
      this.#known.set(set.hash, set)
      this.#current = set
      const skills = set.skills.map(({ name }) => name)
      logger.info({ agents: set.names, ...(skills.length > 0 && { skills }), hash: set.hash }, 'agents reloaded')
    } catch (error) {
      const reason = error instanceof SettingsError ? { problem: error.message } : { err: error }
      logger.error(reason, 'agents could not be reloaded; the previous ones stay in use')
    }
  }

  async #save({ hash, definitions }: AgentSet): Promise<void> {
    const { database } = this.#options
    if (database) await saveAgentSet(database, hash, definitions)
  }

  /** A model that this process cannot open fails only the steps that need it. */
  async #openModels({ agents }: AgentSet): Promise<void> {
    const { openModels, logger } = this.#options
    for (const { name, model } of agents) {
      if (model === undefined) continue
      await openModels?.(model).catch((error: unknown) =>
        logger.warn({ agent: name, model, problem: String(error) }, 'the model of an earlier agent cannot be opened'),
      )
    }
  }
}
