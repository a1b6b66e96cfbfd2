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
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
