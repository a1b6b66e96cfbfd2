// A small disk that a test can fill: a file system of its own in memory. Only root can mount one.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
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

  /** Until not one block is left. Whatever else this process does goes on meanwhile. */
  async fill(): Promise<void> {
    const file = await open(this.#ballast, 'w')
    for (const size of [1 << 24, 1 << 20, 1 << 16, 4096]) {
      const block = Buffer.alloc(size)
      while (await hasRoom(file, block));
    }
    await file.close()
  }

  free(): void {
    rmSync(this.#ballast, { force: true })
  }

  remove(): void {
    run('umount', this.folder)
    rmdirSync(this.folder)
  }
}

async function hasRoom(file: FileHandle, block: Buffer): Promise<boolean> {
  try {
    return (await file.write(block)).bytesWritten === block.length
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
    throw error
  }
}

function run(program: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program}: ${stderr}`)
}
