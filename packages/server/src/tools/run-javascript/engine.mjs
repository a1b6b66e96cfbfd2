// @ts-check
// A QuickJS for one piece of code, with limits of time, memory and stack that hold whatever the code does.
//
// The whole WebAssembly instance is made anew, not only the QuickJS runtime in it (2 ms against 1): nothing can be left
// behind for the next call, and the memory can have a maximum. QuickJS' own limit would not do: built for WebAssembly it
// does not know how much is in use and refuses only single pieces that are larger than the limit.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import quickjs from '@jitl/quickjs-ng-wasmfile-release-sync'
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core'

const mebibyte = 1024 * 1024
const pageBytes = 64 * 1024
// What QuickJS takes up itself; the limit is for the code.
const ownBytes = 8 * mebibyte
const initialPages = 256
// Enough for 3,000 nested calls of a small function. The thread's stack must be some thirty times that.
const stackBytes = mebibyte / 2

/** @typedef {{ readonly buffer: ArrayBuffer, grow(pages: number): number }} Memory */
/** @typedef {new (size: { initial: number, maximum: number }) => Memory} NewMemory */
/** @typedef {import('quickjs-emscripten-core').QuickJSSyncVariant} Variant */

// Node has it, but its types leave it to those of browsers.
/** @type {{ compile(bytes: Uint8Array): Promise<object>, Memory: NewMemory }} */
const { compile, Memory } = Reflect.get(globalThis, 'WebAssembly')
// The package's types tell of its CommonJS half only.
const variant = /** @type {Variant} */ (/** @type {unknown} */ (quickjs))

const wasmFile = fileURLToPath(import.meta.resolve('@jitl/quickjs-ng-wasmfile-release-sync/wasm'))
const wasmModule = await compile(await readFile(wasmFile))

export class Engine {
  #end
  #isLate = false
  #isFull = false

  /** @param {import('./thread.ts').JavaScriptLimits} limits */
  constructor(limits) {
    this.limits = limits
    this.#end = performance.now() + limits.executionSeconds * 1000
  }

  /** The time is over; code that still runs is interrupted. */
  get isLate() {
    this.#isLate ||= performance.now() > this.#end
    return this.#isLate
  }

  /** More memory was asked for than there may be. */
  get isFull() {
    return this.#isFull
  }

  async open() {
    const silent = /** @type {object} */ ({ print: () => undefined, printErr: () => undefined })
    const module = await newQuickJSWASMModuleFromVariant(
      newVariant(variant, { wasmModule, wasmMemory: this.#newMemory(), emscriptenModule: silent }),
    )
    const runtime = module.newRuntime({
      memoryLimitBytes: this.limits.memoryMebibytes * mebibyte,
      maxStackSizeBytes: stackBytes,
      interruptHandler: () => this.isLate,
    })
    return runtime.newContext()
  }

  #newMemory() {
    const maximum = (this.limits.memoryMebibytes * mebibyte + ownBytes) / pageBytes
    const memory = new Memory({ initial: initialPages, maximum })
    const grow = memory.grow.bind(memory)
    memory.grow = (pages) => {
      this.#isFull ||= memory.buffer.byteLength / pageBytes + pages > maximum
      return grow(pages)
    }
    return memory
  }
}
