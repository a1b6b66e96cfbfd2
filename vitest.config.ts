import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: {
    alias: {
      '@runwright/contract': new URL('./packages/contract/src/index.ts', import.meta.url).pathname,
      '@runwright/client': new URL('./packages/client/src/index.ts', import.meta.url).pathname,
    },
  },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'scripts/**/*.test.ts'],
    globalSetup: ['packages/server/test/support/postgres.ts'],
    // Tests that kill processes and race clocks share two noisy cores with everything else: one bad moment is no verdict.
    retry: process.env.CI ? 2 : 0,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
