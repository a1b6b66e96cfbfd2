// A small disk that a test can fill: a file system of its own in memory. Only root can mount one.
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const canMount = process.platform === 'linux' && process.getuid?.() === 0

export class SmallDisk {
  readonly folder: string
  readonly #ballast: string

  constructor(megabytes: number) {
    this.folder = mkdtempSync(join(tmpdir(), 'runwright-disk-'))
    this.#ballast = join(this.folder, 'ballast')
    run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', this.folder)
  }

  /** Until not one block is left. */
  fill(): void {
    const file = openSync(this.#ballast, 'w')
    for (const size of [1 << 20, 4096]) {
      const block = Buffer.alloc(size)
      while (hasRoom(file, block));
    }
    closeSync(file)
  }

  free(): void {
    rmSync(this.#ballast, { force: true })
  }

  remove(): void {
    run('umount', this.folder)
    rmdirSync(this.folder)
  }
}

function hasRoom(file: number, block: Buffer): boolean {
  try {
    return writeSync(file, block) === block.length
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
    throw error
  }
}

function run(program: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program}: ${stderr}`)
}
