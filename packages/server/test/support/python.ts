// The Python that tests use: one with httpx, which the Python client needs (Debian: python3-httpx).
import { spawnSync } from 'node:child_process'

const hasModules = (program: string, modules: readonly string[]): boolean => {
  const check = `import sys, ${modules.join(', ')}; assert sys.version_info >= (3, 11)`
  return spawnSync(program, ['-c', check]).status === 0
}

/** Undefined if there is none. */
export const findPython = (...modules: string[]): string | undefined =>
  ['python3', '/usr/bin/python3'].find((program) => hasModules(program, ['httpx', ...modules]))
