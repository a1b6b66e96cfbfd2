// Writes a file of a cassette folder: complete or absent.
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Prompts and replies are private: only the owner may read the file. */
export async function writeWhole(dir: string, name: string, text: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const unfinished = join(dir, `.${name}.unfinished`)
  try {
    await rm(unfinished, { force: true })
    await writeFile(unfinished, text, { mode: 0o600, flag: 'wx' })
    await rename(unfinished, join(dir, name))
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}
