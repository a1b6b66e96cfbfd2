// @ts-check
// After a setup by root, gives the created files to the owner of the checkout.
import { existsSync, lchownSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolders } from './setup-stamps.mjs'
import { say } from './setup-steps.mjs'

/** @typedef {{ uid: number, gid: number }} Owner */

/**
 * Otherwise the owner could neither change nor delete them.
 * @param {string} root
 */
export function handToOwner(root) {
  const { uid, gid } = statSync(root)
  if (process.getuid?.() !== 0 || uid === 0) return
  try {
    for (const folder of ['', ...packageFolders(root)]) {
      for (const created of ['node_modules', 'dist']) handOver(join(root, folder, created), { uid, gid })
    }
  } catch (error) {
    // In some containers not even root may do this. The files work anyway.
    say(`The installed and built files still belong to root (${error}).`)
  }
}

/**
 * @param {string} path
 * @param {Owner} owner
 */
function handOver(path, { uid, gid }) {
  if (!existsSync(path)) return
  lchownSync(path, uid, gid)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name)
    if (entry.isDirectory()) handOver(inner, { uid, gid })
    else lchownSync(inner, uid, gid)
  }
}
