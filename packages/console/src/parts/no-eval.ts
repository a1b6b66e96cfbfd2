// The console's content security policy forbids `eval`. Without this, the schemas of the contract try it once, and the
// browser reports a breach. Set before a page loads them, and without loading the library for the first page.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
