// Processes of the service that a supervisor starts again, and what faults do to each of them.
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sentLateMessage } from '../../../src/tools/port/look-before-writes.ts'
import type { Fleet, Part, ServiceProcess } from '../../support/processes.ts'

const cgroups = '/sys/fs/cgroup/cpu'
const clockModule = join(import.meta.dirname, 'stepped-clock.mjs')
const spareModule = join(import.meta.dirname, 'warm-spare.mjs')

/** A place in the crew: the process in it changes, its number stays. */
class Post {
  readonly part: Part
  process: ServiceProcess
  /** Loaded, and waiting to take the place of the process. */
  spare: ServiceProcess | undefined
  isReady = false

  constructor(part: Part, process: ServiceProcess) {
    this.part = part
    this.process = process
  }
}

/** What the processes execute, and how. */
interface Build {
  readonly program?: string
  readonly nodeOptions?: string
  /** Whether a process that is killed has a successor at once. */
  readonly hasSpares: boolean
}

export class Crew {
  /** Ends that no fault of ours caused. */
  readonly deaths: string[] = []
  kills = 0
  readonly #fleet: Fleet
  readonly #folder: string
  readonly #build: Build
  readonly #posts: Post[] = []
  readonly #expected = new Set<ServiceProcess>()
  #isClosing = false
  /** Of processes that are gone. */
  #toldLate = 0

  constructor(fleet: Fleet, folder: string, build: Build) {
    this.#fleet = fleet
    this.#folder = folder
    this.#build = build
  }

  async start(parts: readonly Part[]): Promise<void> {
    // The first one sets the database up.
    for (const part of parts.slice(0, 1)) await this.#add(part)
    await Promise.all(parts.slice(1).map((part) => this.#add(part)))
  }

  get size(): number {
    return this.#posts.length
  }

  processAt(n: number): ServiceProcess {
    return this.#at(n).process
  }

  urls = (): string[] =>
    this.#posts.flatMap(({ part, isReady, process }) =>
      part !== 'worker' && isReady && process.isAlive ? [process.url] : [],
    )

  /** How many calls may have left after their lease, as the processes say themselves. */
  get toldLate(): number {
    return this.#posts.reduce((sum, { process }) => sum + timesTold(process), this.#toldLate)
  }

  /** As a power cut; resolves when its successor is ready. */
  async kill(n: number): Promise<void> {
    const post = this.#at(n)
    this.#expected.add(post.process)
    this.kills += 1
    await post.process.kill()
    await this.#ready(post)
  }

  pause(n: number): void {
    this.#at(n).process.signal('SIGSTOP')
  }

  goOn(n: number): void {
    this.#at(n).process.signal('SIGCONT')
  }

  /** Gives the process a share of one core until the function that is returned is called. */
  starve(n: number, share: number): () => void {
    const { pid } = this.#at(n).process
    const group = join(cgroups, `runwright-chaos-${process.pid}-${n}`)
    mkdirSync(group, { recursive: true })
    writeFileSync(join(group, 'cpu.cfs_period_us'), '100000')
    writeFileSync(join(group, 'cpu.cfs_quota_us'), String(Math.round(share * 100_000)))
    writeFileSync(join(group, 'cgroup.procs'), String(pid))
    return () => {
      moveAllOut(group)
      rmdirSync(group)
    }
  }

  /** Sets the clock that a process sees ahead or back. */
  stepClock(n: number, ms: number): void {
    writeFileSync(this.#clockFile(n), String(ms))
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#fleet.killAll()
  }

  async #add(part: Part): Promise<void> {
    const n = this.#posts.length
    const post = new Post(part, this.#spawn(part, n))
    this.#posts.push(post)
    this.#watch(post, n)
    await this.#ready(post)
    post.spare = this.#spawnSpare(part, n)
  }

  #spawnSpare(part: Part, n: number): ServiceProcess | undefined {
    return this.#build.hasSpares ? this.#spawn(part, n, `--import ${spareModule}`) : undefined
  }

  #spawn(part: Part, n: number, moreOptions = ''): ServiceProcess {
    const { program, nodeOptions = '' } = this.#build
    const options = `--import ${clockModule} ${nodeOptions} ${moreOptions}`.trim()
    return this.#fleet.spawn(part, { NODE_OPTIONS: options, CHAOS_CLOCK_FILE: this.#clockFile(n) }, program)
  }

  /** A successor for each process that ends, until the crew is closed. */
  #watch(post: Post, n: number): void {
    const { process } = post
    void process.exited.then((exit) => {
      const wasReady = post.isReady
      post.isReady = false
      this.#toldLate += timesTold(process)
      if (this.#isClosing) return
      const isOurs = this.#expected.delete(process)
      if (!isOurs && (wasReady || !refusesToStart(process)))
        this.deaths.push(`${post.part} ended with ${JSON.stringify(exit)}: ${process.output.slice(-2_000)}`)
      this.#fleet.processes.splice(this.#fleet.processes.indexOf(process), 1)
      this.#replace(post, n)
      this.#watch(post, n)
      void this.#ready(post)
    })
  }

  #replace(post: Post, n: number): void {
    const { part, spare } = post
    post.process = spare ?? this.#spawn(part, n)
    post.spare = this.#spawnSpare(part, n)
    // A signal before it waits would be lost.
    void spare?.says('This process waits.').then(() => spare.signal('SIGCONT'))
  }

  async #ready(post: Post): Promise<void> {
    const { process } = post
    await Promise.race([process.says('Runwright is ready.'), process.exited])
    if (post.process === process && process.isAlive) post.isReady = true
    else if (post.process !== process) await this.#ready(post)
  }

  #at(n: number): Post {
    const post = this.#posts[n]
    if (!post) throw new Error(`there is no process ${n}`)
    return post
  }

  #clockFile(n: number): string {
    return join(this.#folder, `clock-${n}`)
  }
}

/** A start without a database ends in one sentence: the supervisor tries again. */
const refusesToStart = ({ output }: ServiceProcess) => output.includes(' cannot be reached: ')

const timesTold = ({ output }: ServiceProcess) => output.split(sentLateMessage).length - 1

function moveAllOut(group: string): void {
  for (const pid of readPids(group)) {
    try {
      writeFileSync(join(cgroups, 'cgroup.procs'), pid)
    } catch (error) {
      // The process has ended.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

const readPids = (group: string): string[] =>
  readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean)
