// @ts-check
// A QuickJS engine for one call, with limits on time, memory and stack that the code cannot evade.
//
// Each call gets a new WebAssembly instance rather than only a new QuickJS runtime (2 ms instead of 1 ms). So nothing
// remains for the next call, and the memory has a maximum. QuickJS's own memory limit is not enough: its WebAssembly
// build does not track how much is in use and rejects only single allocations above the limit.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import quickjs from '@jitl/quickjs-ng-wasmfile-release-sync'
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core'

const mebibyte = 1024 * 1024
const pageBytes = 64 * 1024
// Memory that QuickJS itself uses, in addition to the limit for the code.
const ownBytes = 8 * mebibyte
const initialPages = 256
// Enough for 3,000 nested calls of a small function. The thread's stack must be about thirty times as large.
const stackBytes = mebibyte / 2

/** @typedef {{ readonly buffer: ArrayBuffer, grow(pages: number): number }} Memory */
/** @typedef {new (size: { initial: number, maximum: number }) => Memory} NewMemory */
/** @typedef {import('quickjs-emscripten-core').QuickJSSyncVariant} Variant */

// Node's types do not include WebAssembly; only the browser types do.
/** @type {{ compile(bytes: Uint8Array): Promise<object>, Memory: NewMemory }} */
const { compile, Memory } = Reflect.get(globalThis, 'WebAssembly')
// The package has types for its CommonJS build only.
const variant = /** @type {Variant} */ (/** @type {unknown} */ (quickjs))

const wasmFile = fileURLToPath(import.meta.resolve('@jitl/quickjs-ng-wasmfile-release-sync/wasm'))
const wasmModule = await compile(await readFile(wasmFile))

export class Engine {
  #end = Number.POSITIVE_INFINITY
  #isTimedOut = false
  #isOutOfMemory = false

  /** @param {import('./javascript-threads.ts').JavaScriptLimits} limits */
  constructor(limits) {
    this.limits = limits
  }

  /** The time of the code begins. To open the engine takes longer than some limits if the machine is busy. */
  start() {
    this.#end = performance.now() + this.limits.executionSeconds * 1000
  }

  /** True when the time is up; code that is still running is interrupted. */
  get isTimedOut() {
    this.#isTimedOut ||= performance.now() > this.#end
    return this.#isTimedOut
  }

  /** True once the code has requested more memory than the maximum. */
  get isOutOfMemory() {
    return this.#isOutOfMemory
  }

  async open() {
    const silent = /** @type {object} */ ({ print: () => undefined, printErr: () => undefined })
    const module = await newQuickJSWASMModuleFromVariant(
      newVariant(variant, { wasmModule, wasmMemory: this.#newMemory(), emscriptenModule: silent }),
    )
    const runtime = module.newRuntime({
      memoryLimitBytes: this.limits.memoryMebibytes * mebibyte,
      maxStackSizeBytes: stackBytes,
      interruptHandler: () => this.isTimedOut,
    })
    return runtime.newContext()
  }

  #newMemory() {
    const maximum = (this.limits.memoryMebibytes * mebibyte + ownBytes) / pageBytes
    const memory = new Memory({ initial: initialPages, maximum })
    const grow = memory.grow.bind(memory)
    memory.grow = (pages) => {
      this.#isOutOfMemory ||= memory.buffer.byteLength / pageBytes + pages > maximum
      return grow(pages)
    }
    return memory
  }
}
