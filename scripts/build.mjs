// @ts-check
// `npm run build`: rebuilds everything from scratch.
import { ensureReady, runScript } from './setup.mjs'

await runScript(() => ensureReady({ forceBuild: true }))
